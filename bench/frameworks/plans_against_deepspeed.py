#!/usr/bin/env python3
"""Judging shard plans beside DeepSpeed's own check of its affine maps, on this machine.

usage: plans_against_deepspeed.py ZEROCTS [--rounds N] [--out RECORDS]

DeepSpeed: ParamAffineMap.validate_coverage of maps that are in memory. Ours: the whole process `zerocts plan verify
FILE`, from its start to its verdict, reading included. Both judge the same maps: one parameter divided by rows among 8
ranks, as DeepSpeed's own contiguous_split_map divides it. The two take turns, the best time of each counts. Exit code
77 where DeepSpeed is missing.
"""

import argparse
import contextlib
import io
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from records import Records, add_option

try:
    with contextlib.redirect_stdout(io.StringIO()):
        from deepspeed.checkpoint.affine import AFFINE_MAP_FORMAT_VERSION, contiguous_split_map
except ImportError as missing:
    print(f"skipped: {missing}; `zerocts check --subject deepspeed-1` makes an environment that has it")
    sys.exit(77)

RANKS = 8
SHAPES = [(1000, 100), (4000, 1000), (20001, 1000)]


def affine_map(shape):
    rows = [shape[0] // RANKS + (rank < shape[0] % RANKS) for rank in range(RANKS)]
    return contiguous_split_map(shape, rows, 0)


def seconds_of(action):
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def compare(zerocts, shape, rounds, folder):
    divided = affine_map(shape)
    file = Path(folder) / "map.json"
    file.write_text(json.dumps({"affine_map": {"version": AFFINE_MAP_FORMAT_VERSION, "^w$": divided.to_dict()}}))
    verify = [zerocts, "plan", "verify", str(file)]
    theirs, ours = [], []
    for _ in range(rounds):
        theirs.append(seconds_of(divided.validate_coverage))
        ours.append(seconds_of(lambda: subprocess.run(verify, check=True, stdout=subprocess.DEVNULL)))
    return theirs, ours


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("zerocts")
    parser.add_argument("--rounds", type=int, default=3)
    add_option(parser)
    arguments = parser.parse_args()
    records = Records(arguments.zerocts, arguments.out)
    with tempfile.TemporaryDirectory() as folder:
        for shape in SHAPES:
            theirs, ours = compare(arguments.zerocts, shape, arguments.rounds, folder)
            elements = shape[0] * shape[1]
            for subject, seconds in (("DeepSpeed", theirs), ("zerocts", ours)):
                case = {"elements": elements, "of_ranks": RANKS}
                records.add(subject, "plan_judged_beside_deepspeed", case, "s", "smaller", seconds)
            print(
                f"{elements:>11,} elements on {RANKS} ranks: "
                f"DeepSpeed {min(theirs):8.3f} s, zerocts {min(ours):6.3f} s, "
                f"{min(theirs) / min(ours):7.1f} times as fast"
            )
    records.write()


if __name__ == "__main__":
    main()
