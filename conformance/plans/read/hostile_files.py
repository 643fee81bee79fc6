"""Writes one of the files of hostile/, and prints the path to read.

usage: hostile_files.py CASE FOLDER
"""

import sys
from pathlib import Path

from hostile import (  # noqa: F401  each adds its cases
    CASES,
    dcp_metadata_that_lies,
    metadata_pickles,
    no_files,
    orbax_that_lies,
    safetensors_files,
    tensors_of_deepspeed,
    zips,
)

if __name__ == "__main__":
    name, folder = sys.argv[1:]
    _, write = CASES[name]
    print(write(Path(folder)))
