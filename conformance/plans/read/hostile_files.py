"""Writes one of the files of hostile/, and prints the path to read.

usage: hostile_files.py CASE FOLDER
"""

import sys
from pathlib import Path

from hostile import (  # noqa: F401  each adds its cases
    CASES,
    dcp_metadata_that_lies,
    no_files,
    orbax_that_lies,
    pickles_that_call,
    pickles_that_take_room,
    safetensors_files,
    tensors_of_deepspeed,
    zips,
)

if __name__ == "__main__":
    name, folder = sys.argv[1:]
    print(next(function for function in CASES if function.__name__ == name)(Path(folder)))
