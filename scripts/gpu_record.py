#!/usr/bin/env python3
"""Adds one run of the tests with the label gpu to a file, as a line of JSON, and prints it as a table.

usage: gpu_record.py --junit FILE --command TEXT --into FILE.ndjson
"""
import argparse
import datetime
import json
import platform
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def output_of(*command):
    """The first line that a command prints; "" when there is no such command or it fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def gpus():
    listing = output_of("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")
    return [dict(zip(("name", "driver"), line.rsplit(", ", 1))) for line in listing.splitlines()]


def result_of(case):
    if case.find("failure") is not None or case.get("status") == "fail":
        return "failed"
    return "not run" if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled") else "passed"


def record_of(junit, command):
    try:
        cases = ElementTree.parse(junit).getroot().iter("testcase")
        tests = [(case, case.findtext("system-out") or "") for case in cases]
    except (OSError, ElementTree.ParseError) as error:
        sys.exit(f"gpu_record: {junit}: expected a JUnit file of ctest: {error}")
    versions = [found.group(1) for _, output in tests if (found := re.search(r"\bNCCL (\d+\.\d+\.\d+)", output))]
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "machine": f"{platform.machine()}, {platform.system()} {platform.release()}",
        "gpus": gpus(),
        "nccl": versions[0] if versions else "",
        "commit": output_of("git", "describe", "--always", "--dirty"),
        "command": command,
        "tests": [{"name": case.get("name"), "result": result_of(case), "seconds": round(float(case.get("time") or 0), 1)}
                  for case, _ in tests],
    }


def table(record):
    yield f"{record['date']}  {record['command']}  (commit {record['commit'] or 'unknown'})"
    for gpu in record["gpus"] or [{"name": "no GPU", "driver": "none"}]:
        yield f"{gpu['name']}, driver {gpu['driver']}, NCCL {record['nccl'] or 'not used'}"
    for test in record["tests"]:
        yield f"  {test['result']:8} {test['seconds']:8.1f} s  {test['name']}"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("junit", "command", "into"):
        options.add_argument(f"--{name}", required=True)
    given = options.parse_args()
    record = record_of(given.junit, given.command)
    Path(given.into).parent.mkdir(parents=True, exist_ok=True)
    with open(given.into, "a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")
    print("\n".join(table(record)))


if __name__ == "__main__":
    main()
