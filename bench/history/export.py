#!/usr/bin/env python3
"""Benchmark records in the formats of others.

usage: zerocts bench export RECORDS.. --to FORMAT --out FOLDER [--machine FINGERPRINT]

Formats that hold one run take the newest figure of each benchmark. exit 0: written; 1: what was written lacks
benchmarks that failed; 2: a mistake of the user; 3: jsonschema is missing
"""

import argparse
import importlib
import sys
from pathlib import Path

from reading import BadRecords, read_files
from saying import say, written_into_out
from series import of_machine, series_of

FORMATS = {
    "google-benchmark": "google_benchmark",
    "bencher": "bencher",
    "github-action-benchmark": "github_action",
    "otava": "otava",
    "dart": "dart",
    "openmetrics": "openmetrics",
}


def exporter_of(name):
    return importlib.import_module(f"exporters.{FORMATS[name]}")


def write(folder, files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
        print(folder / name)


def export(arguments):
    all_series = of_machine(series_of(read_files(arguments.records)), arguments.machine)
    exported = exporter_of(arguments.to).export(all_series)
    failed = [series for series in all_series if series.newest["error"]]
    for name, reason in exported.left_out.items():
        say(f"left out {name}: {reason}")
    for series in failed:
        say(f"{series.name} failed on {series.newest['date']} and has no newest figure: {series.newest['error']}")
    if not exported.files:
        raise BadRecords(f"expected a figure that {arguments.to} can hold, got none in {', '.join(arguments.records)}")
    write(Path(arguments.out), exported.files)
    return 1 if failed else 0


def main():
    formats = "\n".join(f"  {name:<23} {exporter_of(name).MEANING}" for name in FORMATS)
    parser = argparse.ArgumentParser(
        usage=__doc__, epilog=f"formats:\n{formats}", formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("records", nargs="+")
    parser.add_argument("--to", required=True, choices=FORMATS)
    parser.add_argument("--out", required=True)
    parser.add_argument("--machine")
    arguments = parser.parse_args()
    return written_into_out(lambda: export(arguments))


if __name__ == "__main__":
    sys.exit(main())
