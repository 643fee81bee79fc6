#!/usr/bin/env python3
"""Judges a framework as `zerocts check` does, and skips with the reason where this machine cannot have it.
usage: framework_test.py ZEROCTS SUBJECT [arguments of zerocts check]
exit 77: skipped; else the exit code of zerocts check"""
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
SKIPPED, UNAVAILABLE = 77, 3


def python_or_skip(framework):
    """The Python that has it; ends this program where there is none."""
    made = subprocess.run([sys.executable, str(HERE / "environment.py"), "python", framework], stdout=subprocess.PIPE, text=True, check=False)
    if made.returncode == UNAVAILABLE:
        print(f"skipped: {made.stdout.strip()}")
        sys.exit(SKIPPED)
    return made.stdout.strip()


def main():
    zerocts, subject, *arguments = sys.argv[1:]
    python_or_skip(json.loads((HERE / "frameworks.json").read_text(encoding="utf-8"))["subjects"][subject]["framework"])
    os.execv(zerocts, [zerocts, "check", "--subject", subject, *arguments])


if __name__ == "__main__":
    main()
