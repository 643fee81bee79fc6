#!/usr/bin/env python3
"""Injects faults into short checks by seed, and judges how zerocts ends: the right verdict in its deadline, no hang, no
orphan, nothing left behind, no pass. Outcomes are added to a file, and a campaign goes on where the last one stopped.

usage: campaign.py ZEROCTS FAULTY_SUBJECT [--count N] [--from SEED] [--into FILE.ndjson] [--budget SECONDS] [--jobs N]
       [--table results.md]
exit code: 0 all were right, 1 one was not
"""

import argparse
import concurrent.futures
import contextlib
import json
import os
import sys
import threading
import time
from pathlib import Path

from injections import FAULTS, LAUNCHERS, draw
from processes import left_in_shared_memory, shared_memory
from trial import Trial, programs_of

BEGIN, END = "<!-- begin of the campaign's table -->", "<!-- end of the campaign's table -->"
SIDE_BY_SIDE = 6  # faults that only wait, for each that works


def parsed():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("zerocts")
    parser.add_argument("faulty_subject")
    parser.add_argument("--count", type=int, default=60, help="how many faults")
    parser.add_argument("--from", dest="first", type=int, default=0, help="the first seed")
    parser.add_argument("--into", type=Path, help="a file to which outcomes are added; seeds in it are not run again")
    parser.add_argument("--budget", type=float, default=float("inf"), help="seconds after which no fault is begun")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="faults at once that work")
    parser.add_argument("--table", type=Path, help="the file whose table of all outcomes of --into is written anew")
    return parser.parse_args()


def recorded(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path and path.exists() else []


def run_all(programs, injections, arguments, tell):
    """Outcomes of those that were begun within the budget."""
    working, lock, until = threading.Semaphore(arguments.jobs), threading.Lock(), time.monotonic() + arguments.budget

    def run(injection):
        with contextlib.nullcontext() if injection.waits else working:
            if time.monotonic() > until:
                return None
            outcome = Trial(programs, injection).run()
        with lock:
            tell(injection, outcome)
        return outcome

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs * SIDE_BY_SIDE) as pool:
        return [outcome for outcome in pool.map(run, injections) if outcome]


def possible(injections, programs):
    """What this machine has no means for is left out, and said to be."""
    hit = {
        "expected a Python with numpy and pyzmq, got none": lambda i: i.language == "python" and not programs.python,
        "expected that unshare may mount, got a refusal": lambda i: i.phase == "session" and not programs.unshare,
    }
    for lack, is_hit in hit.items():
        left_out = sum(map(is_hit, injections))
        injections = [injection for injection in injections if not is_hit(injection)]
        if left_out:
            print(f"{left_out} faults are left out: {lack}")
    return injections


def table(outcomes):
    """Fault x launcher: how many were right, of how many."""
    rows = [f"| fault | {' | '.join(LAUNCHERS)} |", "| --- " * (len(LAUNCHERS) + 1) + "|"]
    for fault in FAULTS:
        cells = []
        for launcher in LAUNCHERS:
            here = [
                outcome["right"] for outcome in outcomes if (outcome["fault"], outcome["launcher"]) == (fault, launcher)
            ]
            cells.append(f"{sum(here)} of {len(here)}" if here else "")
        rows.append(f"| {fault.replace('_', ' ')} | {' | '.join(cells)} |")
    rows.append(f"\nIn all {sum(outcome['right'] for outcome in outcomes)} of {len(outcomes)} were right.")
    return "\n".join(rows)


def write_table(page, outcomes):
    before, _, rest = page.read_text().partition(BEGIN)
    page.write_text(f"{before}{BEGIN}\n{table(outcomes)}\n{END}{rest.partition(END)[2]}")


def main():
    arguments = parsed()
    programs = programs_of(arguments.zerocts, arguments.faulty_subject)
    earlier = recorded(arguments.into)
    seeds = set(range(arguments.first, arguments.first + arguments.count)) - {outcome["seed"] for outcome in earlier}
    injections = possible([draw(seed) for seed in sorted(seeds)], programs)
    into = arguments.into.open("a", encoding="utf-8") if arguments.into else None

    def tell(injection, outcome):
        said = "right" if outcome["right"] else "; ".join(outcome["problems"])
        print(f"{injection.seed}: {injection}: {said} ({outcome['seconds']} s)", flush=True)
        if into:
            into.write(json.dumps(outcome) + "\n")
            into.flush()

    before = shared_memory()
    outcomes = earlier + run_all(programs, injections, arguments, tell)
    if arguments.table:
        write_table(arguments.table, outcomes)
    wrong = [outcome for outcome in outcomes if not outcome["right"]]
    for outcome in wrong:
        print(f"\nseed {outcome['seed']}: {'; '.join(outcome['problems'])}\n{outcome['said']}")
    print(f"{len(outcomes) - len(wrong)} of {len(outcomes)} faults were judged right")
    if left := left_in_shared_memory(before):
        print(f"left in shared memory: {' '.join(left)}")
    return 1 if wrong or left else 0


if __name__ == "__main__":
    sys.exit(main())
