#!/usr/bin/env python3
"""Measures old commits of this repository by today's names, for a history that begins before there were records.

usage: replay_commits.py --first COMMIT --like RECORDS --records FILE [--last COMMIT] [--count N] [--repository FOLDER]
                         [--work FOLDER] [--jobs N] [--budget SECONDS]

RECORDS are of today's step_bench and account_bench: what is measured, its case, and this machine. A commit builds these
two programs alone and runs them with those cases; what they print is translated. A commit that cannot be built or
measured has a record with the error. The newest commit is the first. Commits that FILE already has are left out, so a
call that ran out of --budget is repeated until it says that all is done. exit 0: all commits are in FILE; 2: a mistake
of the user; 6: some are left
"""

import argparse
import datetime
import json
import os
import sys
import tempfile
import time
from pathlib import Path

from reading import BadRecords, read_files
from replay.commits import Clone, StepFailed, date_of, full_id, run, spread_over, top_of
from replay.old_output import OtherOutput, of_account_bench, of_step_bench
from saying import say

PROGRAMS = {"optimizer_step": "step_bench", "optimizer_step_part": "step_bench", "bytes_of_all_ranks": "account_bench"}
STEPS = 15
NOW = "%Y-%m-%dT%H:%M:%SZ"


def wanted_in(path):
    """Today's records by program. Raises BadRecords."""
    by_program = {}
    for record in read_files([path]):
        if record["error"] is None:
            by_program.setdefault(program_of(record), []).append(record)
    for records in by_program.values():
        arguments_for(records)
    return by_program


def program_of(record):
    what = record["name"].split("/")[0]
    if what not in PROGRAMS:
        raise BadRecords(f"--like: expected records of step_bench and account_bench, got {record['name']}")
    return PROGRAMS[what]


def arguments_for(records):
    """The command-line options of one program with which it measures these cases."""
    options = []
    for field, option in [("precision", "--precision"), ("stage", "--stages"), ("transport", "--transport")]:
        values = sorted({str(record["case"][field]) for record in records if field in record["case"]})
        options += [option, ",".join(values)] if values else []
    for field in ("model", "ranks", "plan"):
        values = {record["case"][field] for record in records}
        if len(values) > 1:
            raise BadRecords(f"--like: expected one {field} for each program, got {' and '.join(map(str, values))}")
        options += [f"--{field}", str(values.pop())]
    return options


def measured(clone, like):
    """{name: (value, samples, bound)} of the commit that was built. Raises StepFailed, OtherOutput."""
    found = {}
    for program, records in like.items():
        with tempfile.TemporaryDirectory() as out:
            options = arguments_for(records) + (["--steps", str(STEPS)] if program == "step_bench" else [])
            if "--out " in run(f"{program} --help", [clone.program(program), "--help"], out):
                options += ["--out", out]  # the older account_bench wrote no file
            printed = run(program, [clone.program(program), *options], out)
            found |= translated(program, printed, Path(out), records)
    return found


def translated(program, printed, out, records):
    written = out / "records.ndjson"
    if written.is_file():
        bound_of = lambda record: record["bound"] and record["bound"]["value"]  # noqa: E731
        return {
            record["name"]: (record["value"], record["samples"], bound_of(record)) for record in read_files([written])
        }
    if program == "account_bench":
        return of_account_bench(printed)
    return of_step_bench((out / "step_bench.json").read_text(encoding="utf-8"), records[0]["case"]["plan"])


def records_of(commit, clone, repository, like, jobs):
    """One for each record in `like`, which has them by program; with a figure or an error."""
    found, error = {}, "it does not measure this"
    try:
        clone.build_commit(commit, list(like), jobs)
        found = measured(clone, like)
    except (StepFailed, OtherOutput, OSError) as problem:
        error = str(problem)
        say(f"{commit[:12]}: {error}")
    about = {"id": commit, "dirty": False, "date": date_of(repository, commit)}
    wanted = [record for records in like.values() for record in records]
    return [replayed(record, found.get(record["name"]), error, about, clone) for record in wanted]


def replayed(like, figure, error, commit, clone):
    value, samples, bound = figure or (None, [], None)
    return like | {
        "value": value,
        "samples": samples,
        "interval": None,
        "bound": {"name": like["bound"]["name"], "value": bound} if like["bound"] and bound is not None else None,
        "commit": commit,
        "compiler": like["compiler"] | ({"flags": clone.flags()} if figure else {}),
        "steal_fraction": None,
        "date": datetime.datetime.now(datetime.timezone.utc).strftime(NOW),
        "error": None if figure else error,
    }


def append(path, records):
    text = "".join(json.dumps(record) + "\n" for record in records)
    with open(path, "a", encoding="utf-8") as file:
        file.write(text)


def already_in(path):
    return {record["commit"]["id"] for record in read_files([path])} if os.path.exists(path) else set()


def replay(arguments):
    until = time.monotonic() + arguments.budget
    like = wanted_in(arguments.like)
    repository = top_of(arguments.repository)
    commits = spread_over(repository, arguments.first, full_id(repository, arguments.last), arguments.count)
    have = already_in(arguments.records)
    left = [commit for commit in reversed(commits) if commit not in have]
    clone = Clone(repository, Path(arguments.work).resolve())
    for done, commit in enumerate(left):
        if time.monotonic() > until:
            say(f"{len(left) - done} of {len(commits)} commits are left; call it again")
            return 6
        say(f"{commit[:12]}: commit {len(commits) - len(left) + done + 1} of {len(commits)}")
        append(arguments.records, records_of(commit, clone, repository, like, arguments.jobs))
    print(f"{len(commits)} commits are in {arguments.records}")
    return 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--first", required=True)
    parser.add_argument("--last", default="HEAD")
    parser.add_argument("--count", type=int, default=25)
    parser.add_argument("--like", required=True)
    parser.add_argument("--records", required=True)
    parser.add_argument("--repository", default=str(Path(__file__).resolve().parent))
    parser.add_argument("--work", default=str(Path(tempfile.gettempdir()) / "zerocts-replay"))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--budget", type=float, default=float("inf"))
    try:
        return replay(parser.parse_args())
    except (BadRecords, StepFailed) as problem:
        say(problem)
    except OSError as error:
        say(f"expected files and folders that can be written, got {error}")
    return 2


if __name__ == "__main__":
    sys.exit(main())
