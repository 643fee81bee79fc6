#!/usr/bin/env python3
"""Everything built that `cmake --install` copies is built by scripts/run: after it, the README says, the package can be
installed.

usage: run_builds_package_test.py SOURCE_DIR BUILD_DIR      exit 0, or 1 with one line for each file that would be
missing
"""

import re
import subprocess
import sys
from pathlib import Path


def targets_of_run(source):
    """Those of its line `build zerocts_..`; mutants need `build all`."""
    (line,) = re.findall(r"^ +build (zerocts_.+)$", (source / "scripts/run").read_text(), re.MULTILINE)
    return line.split()


def made_for(targets, build):
    """What the commands of these targets compile and link."""
    commands = subprocess.run(
        ["ninja", "-C", build, "-t", "commands", *targets], capture_output=True, text=True, check=True
    )
    return {build / path for path in re.findall(r" -o (\S+)", commands.stdout)}


def installed(build):
    """Programs and libraries, but for those of components that are not installed unless they are named."""
    for script in sorted(build.rglob("cmake_install.cmake")):
        component = None
        for line in script.read_text().splitlines():
            named = re.search(r'CMAKE_INSTALL_COMPONENT STREQUAL "(\w+)"', line)
            component = named.group(1) if named else component
            copied = re.search(r"TYPE (?:EXECUTABLE|MODULE|SHARED_LIBRARY|STATIC_LIBRARY) FILES (.+)\)", line)
            if copied and component == "Unspecified":
                yield from (Path(path) for path in re.findall(r'"([^"]+)"', copied.group(1)))


def main(source, build):
    copied = list(installed(build))
    made = made_for(targets_of_run(source), build)
    if not any(path.name == "zerocts" for path in copied):
        print(f"expected the program zerocts among what is installed, got {[path.name for path in copied]}")
        return 1
    missing = [path for path in copied if path not in made]
    for path in missing:
        print(f"{path} is installed: expected that scripts/run builds it, got none of its targets that does")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]).resolve()))
