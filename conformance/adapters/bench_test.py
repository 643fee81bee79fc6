#!/usr/bin/env python3
"""Subjects of frameworks under `zerocts bench`: it measures each, and none says that it cannot. No time is judged.
usage: bench_test.py ZEROCTS SUBJECT..
exit 77: skipped, this machine cannot have a framework"""

import subprocess
import sys

from available import framework_of, python_or_skip

BRIEFLY = ("--ranks", "2", "--model", "tiny", "--rounds", "1", "--steps", "1")


def main():
    zerocts, *subjects = sys.argv[1:]
    for framework in sorted({framework_of(subject) for subject in subjects}):
        python_or_skip(framework)
    chosen = [word for subject in subjects for word in ("--subject", subject)]
    ended = subprocess.run([zerocts, "bench", *chosen, *BRIEFLY], stdout=subprocess.PIPE, text=True, check=False)
    print(ended.stdout)
    measured = all(f"{subject}, stage" in ended.stdout for subject in subjects)
    return ended.returncode or int(" cannot: " in ended.stdout or not measured)


if __name__ == "__main__":
    sys.exit(main())
