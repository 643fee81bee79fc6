"""zerocts, as it is installed beside this file."""

import os
import sys
from pathlib import Path

PROGRAM = Path(__file__).resolve().parent / "installed" / "bin" / "zerocts"


def main():
    """Becomes the program."""
    os.execv(PROGRAM, [str(PROGRAM), *sys.argv[1:]])


def watch(model, optimizer, out="zerocts-results/watch", every=None):
    """Does from here on what `zerocts watch --out OUT [--every N] -- ..` does for a whole script.

    All ranks of the process group call it once, on one machine, behind init_process_group and before the first step;
    the judge is a process beside rank 0 and ends with it. Starts no collective. Raises RuntimeError, with one sentence,
    where there is no judge.
    """
    from zerocts import watching

    options = ["--out", str(out), *(["--every", str(every)] if every else [])]
    watching.watch(PROGRAM, model, optimizer, options)
