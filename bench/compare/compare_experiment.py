#!/usr/bin/env python3
"""How often `zerocts bench compare` is wrong: the same against the same, and against itself slowed down by known parts.

usage: compare_experiment.py PROGRAM SLOWER_PLUGIN RESULTS.ndjson [--same N] [--slower PERCENT,..] [--each N] [--hog]
                             [-- ARGUMENT..]

Every run of compare adds a line to RESULTS; a second call goes on where the first stopped, and prints the table of all.
--hog: another process keeps one core busy meanwhile. What stands behind -- goes to compare.
"""

import argparse
import collections
import json
import math
import os
import subprocess
import sys
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
    begin = time.monotonic()
    ended = subprocess.run([*command, *arguments.rest], capture_output=True, text=True, check=False)
    if ended.returncode not in NAMES:
        sys.exit(f"{' '.join(command)}: exit code {ended.returncode}: {ended.stderr.strip()}")
    return {
        "percent": percent,
        "hog": arguments.hog,
        "exit_code": ended.returncode,
        "seconds": round(time.monotonic() - begin, 1),
        "load": round(os.getloadavg()[0], 1),
        "rest": arguments.rest,
    }


def read(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def print_table(results):
    print(f"{'slower by':>9} {'hog':>5} {'runs':>5} {'regression':>11} {'95 % at most':>13} {'too noisy':>10} {'s':>6}")
    groups = collections.defaultdict(list)
    for result in results:
        groups[result["percent"], result["hog"]].append(result)
    for (percent, hog), runs in sorted(groups.items()):
        codes = collections.Counter(run["exit_code"] for run in runs)
        seconds = sum(run["seconds"] for run in runs) / len(runs)
        print(
            f"{percent:>7g} % {'yes' if hog else 'no':>5} {len(runs):>5} {codes[1] / len(runs):>11.3f} "
            f"{upper_bound(codes[1], len(runs)):>13.3f} {codes[6] / len(runs):>10.3f} {seconds:>6.1f}"
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
            done = sum(r["percent"] == percent and r["hog"] == arguments.hog for r in read(arguments.results))
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
