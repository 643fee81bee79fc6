#!/usr/bin/env python3
"""Prints the table of the guide: which live clauses judge train.py in each way to train.

usage: coverage.py ZEROCTS PYTHON PYTHON_WITH_DEEPSPEED
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
WAYS = [
    ("one process", 1, "ddp"),
    ("DDP", 3, "ddp"),
    ("ZeRO-1", 3, "zero1"),
    ("FSDP1", 3, "fsdp1"),
    ("its original parameters", 3, "fsdp1-original"),
    ("its hybrid shard", 4, "fsdp1-hybrid"),
    ("FSDP2", 3, "fsdp2"),
    ("its hybrid shard", 4, "hsdp"),
    ("DeepSpeed 0", 3, "0"),
    ("1", 3, "1"),
    ("2", 3, "2"),
    ("3", 3, "3"),
]
OF_LONG_RUNS = ("resume", "growth", "epochs")


def judged(zerocts, pythons, ranks, mode):
    """{clause: was it judged?}"""
    script, option, python = (
        ("train_deepspeed.py", "--stage", pythons[1]) if mode.isdigit() else ("train.py", "--mode", pythons[0])
    )
    with tempfile.TemporaryDirectory() as out:
        script = [python, HERE / "fork_ranks.py", str(ranks), HERE / script, option, mode, "--steps", "4"]
        command = [zerocts, "watch", "--every", "1", "--out", out, "--", *script]
        said = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=300,
            check=True,
            env={**os.environ, "DS_ACCELERATOR": "cpu"},
        ).stderr
    held = re.search(r"held: (.*)", said)[1]
    clauses = {name: True for name in re.findall(r"([a-z-]+) [\d,]+", held)}
    return clauses | {name: False for name in re.findall(r"not seen: ([a-z-]+) ", said)}


def table(zerocts, *pythons):
    columns = [judged(zerocts, pythons, ranks, mode) for _, ranks, mode in WAYS]
    clauses = sorted({clause for column in columns for clause in column if clause not in OF_LONG_RUNS})
    rows = [[clause, *("judged" if column[clause] else "no" for column in columns)] for clause in clauses]
    head = ["clause", *(way for way, _, _ in WAYS)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows])


if __name__ == "__main__":
    print(table(*sys.argv[1:]))
