"""zerocts, as it is installed beside this file."""

import os
import sys
from pathlib import Path

PROGRAM = Path(__file__).resolve().parent / "installed" / "bin" / "zerocts"


def main():
    """Becomes the program."""
    os.execv(PROGRAM, [str(PROGRAM), *sys.argv[1:]])
