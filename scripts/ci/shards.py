#!/usr/bin/env python3
"""The verdict on a check that runners shared by zerocts check --shard I/N.

usage: shards.py merge FOLDER [CLAUSE|FAMILY ..] --shards N --zerocts PATH   the verdict on all runs below it

A merge reads the results.ndjson of every shard by `zerocts report`, so what is damaged is not believed. Its exit code
is the gravest of the shards, as conformance/guide/commands.md says. It is 6, never 0, where a shard is lost, or the
shards together did not ask for every clause.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

SECONDS = 600
USAGE, HARNESS_ERROR, TOO_FEW, NOTHING_APPLICABLE = 2, 3, 6, 77
GRAVEST_FIRST = (1, HARNESS_ERROR, 4, 5, TOO_FEW, 0, NOTHING_APPLICABLE)  # as verdict_of_run.cpp has them
OF_ONE_CHECK = (
    "seed",
    "tier",
    "cases_per_clause",
    "version",
    "world_sizes",
    "launchers",
    "precisions",
)  # in all shards


class Mistake(Exception):
    """One sentence for the user."""


class Lost(Exception):
    """Why the shards are no whole: one sentence."""


def run(zerocts, *arguments):
    try:
        command = [str(zerocts), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Mistake(f"--zerocts: expected the program zerocts, got {zerocts} ({error})") from None


def all_clauses(zerocts, selectors):
    listed = run(zerocts, "list", *selectors)
    if listed.returncode != 0:
        raise Mistake(listed.stderr.strip().removeprefix("zerocts: "))
    return [line.split()[0] for line in listed.stdout.splitlines() if line.startswith("C-")]


def begin_of(log):
    """The record with which a run begins."""
    try:
        with log.open(encoding="utf-8") as file:
            record = json.loads(file.readline())
    except (OSError, ValueError) as error:
        raise Lost(f"{log}: expected the log of a run, got one that cannot be read ({error})") from None
    if not isinstance(record, dict) or record.get("record") != "run":
        raise Lost(f"{log}: expected the log of a run, got another file")
    return record


def require_whole(begins, wanted, shards):
    if len(begins) != shards:
        raise Lost(f"expected the results of {shards} shards, got {len(begins)}: a shard is lost, run it again")
    for field in OF_ONE_CHECK:
        require_one(field, {str(begin.get(field)) for begin in begins})
    require_one("subject", {str(begin["subject"].get("name")) for begin in begins})
    asked = [clause for begin in begins for clause in begin["clauses"]]
    missing = [clause for clause in wanted if clause not in asked]
    if missing:
        raise Lost(f"expected every clause in one of the shards, got none with {', '.join(missing)}")


def require_one(field, values):
    if len(values) > 1:
        raise Lost(f"expected shards of one check, got of several: {field} is {' and '.join(sorted(values))}")


def known(exit_code):
    """A log that is refused, or a report that crashed, is an error of the harness."""
    return exit_code if exit_code in GRAVEST_FIRST else HARNESS_ERROR


def merge(arguments):
    logs = sorted(arguments.folder.rglob("results.ndjson"))
    verdicts = {log: run(arguments.zerocts, "report", log) for log in logs}
    for log, verdict in verdicts.items():
        print(f"{log.parent}: exit code {verdict.returncode}")
        print(verdict.stdout + verdict.stderr)
    codes = {known(verdict.returncode) for verdict in verdicts.values()}
    try:
        require_whole(
            [begin_of(log) for log in logs], all_clauses(arguments.zerocts, arguments.selectors), arguments.shards
        )
    except Lost as lost:
        print(f"shards: {lost}", file=sys.stderr)
        codes.add(TOO_FEW)
    exit_code = next(code for code in GRAVEST_FIRST if code in codes)
    print(f"all shards: exit code {exit_code}")
    return exit_code


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("command", choices=["merge"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("selectors", nargs="*")
    parser.add_argument("--zerocts", required=True)
    parser.add_argument("--shards", type=int, required=True)
    arguments = parser.parse_args()
    try:
        if arguments.shards < 1:
            raise Mistake("--shards: expected the number of shards, 1 or more")
        return merge(arguments)
    except Mistake as mistake:
        print(f"shards: {mistake}", file=sys.stderr)
        return USAGE


if __name__ == "__main__":
    sys.exit(main())
