#!/usr/bin/env python3
"""`zerocts bench` as a test of CTest: figures for CDash, records that are kept, one exit code for what was skipped.

usage: zerocts bench ctest [--gpus N] [--into FOLDER] -- ARGUMENTS of zerocts bench

--gpus: skipped where there are fewer. --into: the records of this run are printed as <DartMeasurement>, become
FOLDER/newest.ndjson, and are added to FOLDER/records.ndjson. exit: 6: skipped; else that of zerocts bench
"""

import argparse
import fcntl
import subprocess
import sys
from pathlib import Path

from exporters import dart
from reading import BadRecords, read_file
from saying import say
from series import series_of

ZEROCTS = Path(__file__).absolute().parents[3] / "bin" / "zerocts"  # beside share/zerocts/history
TOO_FEW_GPUS, SKIPPED = 77, 6


def command_of(arguments):
    on_gpus = [ZEROCTS, "gpus", "--at-least", str(arguments.gpus), "--"] if arguments.gpus else []
    return [*on_gpus, ZEROCTS, "bench", *arguments.bench]


def keep(newest, folder):
    """Adds the records of a run to those of earlier ones, whole or not at all for who reads beside."""
    with open(folder / "records.ndjson", "ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(newest.read_bytes())


def print_measurements(newest):
    for text in dart.export(series_of(read_file(newest))).files.values():
        print(text, end="", flush=True)


def measure(arguments):
    folder = Path(arguments.into)
    folder.mkdir(parents=True, exist_ok=True)
    newest = folder / "newest.ndjson"
    newest.unlink(missing_ok=True)
    exit_code = subprocess.run([*command_of(arguments), "--out", newest], check=False).returncode
    if newest.exists() and newest.stat().st_size > 0:  # else nothing was measured, and zerocts has said why
        keep(newest, folder)
        print_measurements(newest)
    return exit_code


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--into")
    parser.add_argument("--gpus", type=int, default=0)
    parser.add_argument("bench", nargs="+")
    arguments = parser.parse_args()
    try:
        exit_code = (
            measure(arguments) if arguments.into else subprocess.run(command_of(arguments), check=False).returncode
        )
    except BadRecords as problem:
        say(problem)
        return 2
    except OSError as error:
        say(f"--into: expected a folder that can be written, got {error}")
        return 2
    return SKIPPED if exit_code == TOO_FEW_GPUS else exit_code


if __name__ == "__main__":
    sys.exit(main())
