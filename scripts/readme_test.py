#!/usr/bin/env python3
"""The first screen of the README is what the program prints on a terminal: the failure of a mutant.

usage: readme_test.py ROOT BUILD
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT, BUILD = (Path(argument).resolve() for argument in sys.argv[1:3])
SCREEN = re.compile(r"^    \$ zerocts (.*)\n((?:    .*\n)+)", re.MULTILINE)
SECONDS = re.compile(r"after [0-9.]+ s")


def on_a_terminal(command, folder):
    """The standard output of a command that may fail."""
    words = ["script", "--quiet", "--command", f"{command} 2>/dev/null", "/dev/null"]
    return subprocess.run(
        words,
        cwd=folder,
        env={**os.environ, "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout


def main():
    arguments, shown = SCREEN.search((ROOT / "README.md").read_text(encoding="utf-8")).groups()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "build").mkdir()
        (Path(folder) / "build/default").symlink_to(BUILD)
        printed = on_a_terminal(f"{BUILD}/bin/zerocts {arguments}", folder)
    shown = re.sub("^    ", "", shown, flags=re.MULTILINE)
    if SECONDS.sub("", printed) != SECONDS.sub("", shown):
        sys.exit(f"expected what README.md shows\n{shown}\ngot\n{printed}")


if __name__ == "__main__":
    main()
