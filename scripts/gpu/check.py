#!/usr/bin/env python3
"""Runs everything that needs a GPU, section after section in the order of its value, and keeps every result as it is
made.

A second call goes on where the first stopped: what ended with the same programs on the same GPUs is not repeated. Exit
code 0: every section passed; 1: one failed; 2: usage; 6: none failed, but sections are left or could not be run; 77: no
GPU.
"""

import argparse
import hashlib
import os
import sys
import time
from pathlib import Path

import machine
import running
from results import Results
from sections import SECTIONS

FAILED, NOT_ALL = 1, 6


def seconds(text):
    value = int(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"expected a positive number of seconds, got {text}")
    return value


def options_of(arguments):
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument(
        "--budget",
        type=seconds,
        metavar="SECONDS",
        help="begin no section that would not fit into them; default: no limit",
    )
    options.add_argument("--fresh", action="store_true", help="repeat what ended in an earlier call too")
    options.add_argument(
        "--only", metavar="A,B", help=f"these sections of {','.join(section.name for section in SECTIONS)}"
    )
    options.add_argument(
        "--into",
        default="gpu.ndjson",
        metavar="FILE",
        help="the file of results that is added to; default: %(default)s",
    )
    options.add_argument("--programs", required=True, metavar="FOLDER", help="with bin/ and lib/")
    options.add_argument("--spent", type=int, default=0, metavar="SECONDS", help="of the budget already")
    options.add_argument("--command", default="gpu_check", metavar="TEXT", help="what was typed, for the file")
    given = options.parse_args(arguments)
    names = given.only.split(",") if given.only else [section.name for section in SECTIONS]
    unknown = [name for name in names if name not in {section.name for section in SECTIONS}]
    if unknown:
        options.error(
            f"--only: expected sections of {','.join(section.name for section in SECTIONS)}, got {','.join(unknown)}"
        )
    given.sections = [section for section in SECTIONS if section.name in names]
    return given


def build_of(programs):
    """Tells builds apart: a digest of the programs and of the libraries beside them."""
    digest = hashlib.sha256()
    for file in sorted(
        path for folder in ("bin", "lib") for path in (Path(programs) / folder).rglob("*") if path.is_file()
    ):
        digest.update(str(file.relative_to(programs)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def commit_of(programs):
    packed = Path(programs) / "COMMIT"
    if packed.exists():
        return packed.read_text(encoding="utf-8").strip()
    well, text = machine.answer_of("git", "-C", programs, "describe", "--always", "--dirty")
    return text if well else ""


class Check:
    def __init__(self, given, gpus):
        self._given, self._deadline = given, time.monotonic() + given.budget - given.spent if given.budget else None
        self._results = Results(given.into)
        self._key = {
            "build": build_of(given.programs),
            "gpus": [f"{gpu['name']}, driver {gpu['driver']}" for gpu in gpus],
        }
        self._environment = {**os.environ, **machine.libraries()}

    def run(self):
        self._results.add(
            "machine",
            **machine.description(),
            commit=commit_of(self._given.programs),
            build=self._key["build"],
            command=self._given.command,
        )
        print(f"{'; '.join(self._key['gpus'])}; results go to {self._results.path}")
        ends = [self._end_of(section) for section in self._given.sections]
        if "failed" in ends:
            return FAILED
        return 0 if set(ends) == {"passed"} else NOT_ALL

    def _end_of(self, section):
        before = None if self._given.fresh else self._results.ended(section.name, **self._key)
        if before:
            self._say(before["result"], section, before["seconds"], f"on {before['date']}")
            return before["result"]
        begun = time.monotonic()
        result, reason = self._outcome(section)
        took = round(time.monotonic() - begun, 1)
        self._results.add(
            "section", section=section.name, result=result, seconds=took, reason=reason, date=machine.now(), **self._key
        )
        self._say(result, section, took, reason)
        return result

    def _outcome(self, section):
        if self._deadline is not None and section.seconds > self._deadline - time.monotonic():
            return (
                "left",
                f"it may take {section.seconds} s, and {max(0, int(self._deadline - time.monotonic()))} s are left",
            )
        if section.tool and not machine.tool(section.tool):
            return "not run", f"{section.tool} is not on this machine"
        path = (
            os.pathsep.join([str(Path(machine.tool(section.tool)).parent), os.environ.get("PATH", "")])
            if section.tool
            else os.environ.get("PATH", "")
        )
        return running.run(
            section,
            Path(self._given.programs).resolve(),
            self._results.path.with_suffix("") / section.name,
            {**self._environment, "PATH": path},
            lambda result: self._keep(section, result),
        )

    def _keep(self, section, result):
        self._results.add("result", section=section.name, **result)
        print(f"    {result['result']:8} {result['seconds']:8.1f} s  {result['name']}", flush=True)

    def _say(self, result, section, took, reason):
        print(
            f"{result:8} {took:8.1f} s  {section.name}: {section.title}{f' ({reason})' if reason else ''}", flush=True
        )


def main(arguments):
    given = options_of(arguments)
    return Check(given, machine.require_gpus()).run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
