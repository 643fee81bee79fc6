#!/usr/bin/env python3
"""Judges a packed gpu_check: whether it runs on a machine that has nothing but a C++ runtime, and is small enough to be
carried.

usage: pack.py FOLDER     exit 0, with its size; 1 with a line for each fault
"""

import os
import re
import subprocess
import sys
from pathlib import Path

LARGEST_MIB = 60
OF_EVERY_MACHINE = re.compile(
    r"^(linux-vdso|ld-linux-x86-64|ld-linux-aarch64|libc|libm|libdl|libpthread|librt|libresolv|libstdc\+\+|libgcc_s)\.so"
)
LINE = re.compile(r"^\s*(\S+?)(?: => (.*?))?(?: \(0x[0-9a-f]+\))?$")


def elf_files(folder):
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.read_bytes()[:4] == b"\x7fELF":
            yield path


def libraries_of(file):
    """[(library, where the loader finds it)] without any help from the environment."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LD_")}
    listing = subprocess.run(["ldd", file], env=environment, capture_output=True, text=True, check=False)
    if listing.returncode != 0:
        return []  # it needs none
    return [
        (Path(found.group(1)).name, found.group(2) or "")
        for line in listing.stdout.splitlines()
        if (found := LINE.match(line))
    ]


def faults_of(folder):
    """A library's own needs are seen only from a program that loads it: the loader begins with that program's
    places.
    """
    programs = [path for path in elf_files(folder) if os.access(path, os.X_OK) and path.parent.name == "bin"]
    if not programs:
        yield f"{folder}: expected programs in bin/, got none"
    for program in programs:
        for library, place in libraries_of(program):
            if OF_EVERY_MACHINE.match(library) or Path(place).resolve().is_relative_to(folder):
                continue
            yield f"{program.relative_to(folder)}: expected {library} beside it, found {place or 'nowhere'}"
    carried = {path.name for path in folder.rglob("*.so*")}
    for plugin in (path for path in elf_files(folder) if path not in programs):
        for library, _ in libraries_of(plugin):
            if not OF_EVERY_MACHINE.match(library) and library not in carried:
                yield f"{plugin.relative_to(folder)}: expected {library} beside it, found nowhere"
    mib = size_of(folder)
    if mib > LARGEST_MIB:
        yield f"{folder}: expected at most {LARGEST_MIB} MiB, got {mib:.1f}"


def size_of(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) / 2**20


def main():
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit(f"pack: expected one folder, got {' '.join(sys.argv[1:]) or 'nothing'}")
    folder = Path(sys.argv[1]).resolve()
    faults = list(faults_of(folder))
    print(
        "\n".join(faults)
        or f"{folder}: {size_of(folder):.1f} MiB; on a machine with a GPU: {folder.name}/gpu_check --budget 570"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
