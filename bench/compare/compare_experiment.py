#!/usr/bin/env python3
"""How often `zerocts bench compare` is wrong: the same against the same, and against itself slowed down by known parts.

usage: compare_experiment.py PROGRAM SLOWER_PLUGIN RESULTS.ndjson [--same N] [--slower PERCENT,..] [--each N] [--hog]
                             [-- ARGUMENT..]

Every run of compare adds a line to RESULTS, with the ratio that it found; a second call goes on where the first
stopped, and prints the table of all. RESULTS is of one release and one machine.
--hog: another process keeps one core busy meanwhile. What stands behind -- goes to compare.
"""

import argparse
import collections
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NAMES = {0: "no regression", 1: "regression", 6: "too noisy"}
CONFIDENCE = 0.95


def at_most(k, n, p):
    """P(at most k of n), each with probability p."""
    return sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1))


def upper_bound(k, n):
    """The exact (Clopper-Pearson) upper bound of a share of which k of n were seen."""
    if k == n:
        return 1.0
    low, high = k / n, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if at_most(k, n, middle) > 1 - CONFIDENCE else (low, middle)
    return high


def run_once(arguments, percent):
    side = f"plugin:{arguments.slower_plugin}"
    command = [arguments.program, "compare", side, f"{side},slower={percent:g}" if percent else side]
    with tempfile.TemporaryDirectory() as folder:
        records = Path(folder, "records.ndjson")
        begin = time.monotonic()
        ended = subprocess.run(
            [*command, *arguments.rest, "--out", records], capture_output=True, text=True, check=False
        )
        if ended.returncode not in NAMES:
            sys.exit(f"{' '.join(command)}: exit code {ended.returncode}: {ended.stderr.strip()}")
        ratios = read(records)
    return {
        "percent": percent,
        "ratios": [
            {
                "ratio": round(record["value"], 5),
                "low": round(record["interval"]["low"], 5),
                "high": round(record["interval"]["high"], 5),
                "pairs": len(record["samples"]),
            }
            for record in ratios
        ],
        "hog": arguments.hog,
        "exit_code": ended.returncode,
        "seconds": round(time.monotonic() - begin, 1),
        "load": round(os.getloadavg()[0], 1),
        "rest": arguments.rest,
    }


def read(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def holds(run):
    """Does each interval hold the ratio that was planted?"""
    return all(each["low"] <= 1 + run["percent"] / 100 <= each["high"] for each in run["ratios"])


def print_table(results):
    """`from` and `to`: what the share of runs that find a regression may be, each with 95 % confidence."""
    print(
        f"{'slower by':>9} {'hog':>5} {'runs':>5} {'regression':>11} {'from':>6} {'to':>6} {'too noisy':>10} "
        f"{'interval holds':>15} {'pairs':>6} {'s':>6}  arguments"
    )
    groups = collections.defaultdict(list)
    for result in results:
        groups[result["percent"], result["hog"], " ".join(result["rest"])].append(result)
    for (percent, hog, rest), runs in sorted(groups.items()):
        codes = collections.Counter(run["exit_code"] for run in runs)
        count = len(runs)
        pairs = [each["pairs"] for run in runs for each in run["ratios"]]
        print(
            f"{percent:>7g} % {'yes' if hog else 'no':>5} {count:>5} {codes[1] / count:>11.3f} "
            f"{1 - upper_bound(count - codes[1], count):>6.3f} {upper_bound(codes[1], count):>6.3f} "
            f"{codes[6] / count:>10.3f} {sum(map(holds, runs)) / count:>15.3f} "
            f"{sum(pairs) / max(len(pairs), 1):>6.0f} {sum(run['seconds'] for run in runs) / count:>6.1f}  {rest}"
        )


def main():
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("slower_plugin")
    parser.add_argument("results", type=Path)
    parser.add_argument("--same", type=int, default=400, help="runs of the same against the same")
    parser.add_argument("--slower", default="1,2,3,5,10", help="in percent")
    parser.add_argument("--each", type=int, default=40, help="runs of each")
    parser.add_argument("--hog", action="store_true")
    arguments = parser.parse_args(words[:cut])
    arguments.rest = words[cut + 1 :]
    wanted = {0.0: arguments.same} | {float(percent): arguments.each for percent in arguments.slower.split(",")}
    hog = subprocess.Popen([sys.executable, "-c", "while True: pass"]) if arguments.hog else None
    try:
        for percent, count in wanted.items():
            key = (percent, arguments.hog, arguments.rest)
            done = sum((r["percent"], r["hog"], r["rest"]) == key for r in read(arguments.results))
            for _ in range(done, count):
                result = run_once(arguments, percent)
                with open(arguments.results, "a", encoding="utf-8") as file:
                    file.write(json.dumps(result) + "\n")
    finally:
        if hog:
            hog.kill()
    print_table(read(arguments.results))


if __name__ == "__main__":
    main()
