#!/usr/bin/env python3
"""Goes one step of conformance/guide/plugin_course.md as its reader does: applies the code of the page up to this step,
types its commands, and compares the verdict with the page's.

usage: plugin_course_test.py PAGE STEP ZEROCTS HEADERS
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r"^```(c|diff)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^    ((?:cc|PREFIX/bin/zerocts) .*)$", re.MULTILINE)
VERDICT = re.compile(r"^The verdict is `([^`]+)`(?:, and the first failure says `([^`]+)`)?", re.MULTILINE)


def steps_of(page):
    """The text of the page in front of its first step, then that of each step."""
    return re.split(r"^## \d\. ", page, flags=re.MULTILINE)


def write_code(steps, folder):
    for step in steps:
        for kind, code in BLOCK.findall(step):
            if kind == "c":
                (folder / "my_zero.c").write_text(code, encoding="utf-8")
                continue
            patched = subprocess.run(
                ["patch", "--fuzz=0", "my_zero.c"], input=code, text=True, cwd=folder, capture_output=True
            )
            if patched.returncode != 0:
                sys.exit(f"a diff of the page does not apply: {patched.stdout}")


def run(command, zerocts, headers, folder):
    command = command.replace("PREFIX/include/zerocts", headers).replace("PREFIX/bin/zerocts", zerocts)
    return subprocess.run(command, shell=True, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def main():
    page, number, (zerocts, headers) = Path(sys.argv[1]).read_text(encoding="utf-8"), int(sys.argv[2]), sys.argv[3:5]
    steps = steps_of(page)
    build = COMMAND.search(steps[0]).group(1)
    check = COMMAND.findall(steps[number])[0]
    verdict, failure = VERDICT.search(steps[number]).groups()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_code(steps[1 : number + 1], folder)
        built = run(build + " -Wall -Wextra -Werror -pedantic-errors", zerocts, headers, folder)
        if built.returncode != 0:
            sys.exit(f"{build}\n{built.stdout}")
        output = run(check, zerocts, headers, folder).stdout
    lines = [line.lower() for line in output.splitlines()]
    if not any(line.startswith(verdict.lower()) for line in lines):
        sys.exit(f"expected a line that begins with {verdict!r}, got\n{output}")
    if failure and failure not in " ".join(output.split()):
        sys.exit(f"expected {failure!r}, got\n{output}")


if __name__ == "__main__":
    os.environ.pop("ZEROCTS_OUT", None)
    main()
