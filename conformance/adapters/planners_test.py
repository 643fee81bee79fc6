#!/usr/bin/env python3
"""Fuzzes the planner of a framework, and skips with the reason where this machine cannot have it.
usage: planners_test.py ZEROCTS PLANNER [arguments of zerocts plan fuzz]
frameworks.json has what its report must say: "sound", or the deviation that conformance/results/planners.md describes.
Some cases must have been judged. exit 77: skipped, 0: as expected"""

import json
import re
import subprocess
import sys
from pathlib import Path

from available import python_or_skip

FRAMEWORKS = Path(__file__).parent / "frameworks.json"


def judged(report):
    """Cases in which there was a plan to judge."""
    found = re.search(r"P1 coverage +holds in (\d+) cases", report)
    return int(found[1]) if found else 0


def main():
    zerocts, planner, *arguments = sys.argv[1:]
    recipe = json.loads(FRAMEWORKS.read_text(encoding="utf-8"))["planners"][planner]
    python_or_skip(recipe["framework"])
    command = [zerocts, "plan", "fuzz", "--planner", planner, "--deadline", "120s", *arguments]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    print(ended.stdout)
    says, expected = recipe["says"], 0 if recipe["says"] == "sound" else 1
    if ended.returncode != expected or says not in ended.stdout:
        sys.exit(f"expected exit code {expected} and a report that says '{says}', got exit code {ended.returncode}")
    if judged(ended.stdout) < 5:
        sys.exit("expected at least 5 cases to be judged")


if __name__ == "__main__":
    main()
