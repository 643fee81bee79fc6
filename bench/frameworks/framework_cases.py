#!/usr/bin/env python3
"""How many cases per second a framework's ranks judge, beside the framework's own rate without a judge, on this
machine.

usage: framework_cases.py ZEROCTS [--ranks 2,4] [--cases N] [--rounds N] [--out RECORDS]
with the Python of the framework's environment

Bare: three linear layers (501 parameters), made, wrapped and trained for 3 steps of AdamW, again and again, one thread
a rank; what starts the processes is left out. Ours: the cases of C-ZERO-051 (several steps, every tensor and state read
after each) by `zerocts check`, after a clause that starts the ranks. The two take turns, so that a noisy moment hits
both. Exit code 77 where torch is missing.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from records import Records, add_option

try:
    import torch
    import torch.distributed as dist
    import torch.multiprocessing as processes
    from torch.distributed.fsdp import fully_shard
    from torch.distributed.optim import ZeroRedundancyOptimizer
    from torch.nn.parallel import DistributedDataParallel
except ImportError as missing:
    print(f"skipped: {missing}; see bench/README.md for the environment")
    sys.exit(77)

STEPS = 3
WARM_UP, MEASURED = "C-ZERO-001", "C-ZERO-051"


def layers():
    return torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Linear(16, 16), torch.nn.Linear(16, 5))


def fsdp2():
    model = layers()
    for layer in model:
        fully_shard(layer)
    fully_shard(model)
    return model, torch.optim.AdamW(model.parameters(), foreach=False)


def zero1():
    model = layers()
    optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.AdamW, foreach=False)
    return DistributedDataParallel(model), optimizer


BARE = {"torch-fsdp2": fsdp2, "torch-zero1": zero1}


def bare_case(subject):
    model, optimizer = BARE[subject]()
    for _ in range(STEPS):
        model(torch.ones(4, 8)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()


def run_rank(rank, ranks, store, subject, cases, seconds):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=ranks)
    bare_case(subject)  # the first one imports and connects
    dist.barrier()
    begin = time.perf_counter()
    for _ in range(cases):
        bare_case(subject)
    dist.barrier()
    seconds[rank] = time.perf_counter() - begin
    dist.destroy_process_group()


def bare_rate(subject, ranks, cases):
    seconds = processes.get_context("spawn").Array("d", ranks)
    with tempfile.TemporaryDirectory() as folder:
        processes.spawn(run_rank, args=(ranks, os.path.join(folder, "store"), subject, cases, seconds), nprocs=ranks)
    return cases / max(seconds)


def judged_rate(zerocts, subject, ranks, cases):
    with tempfile.TemporaryDirectory() as out:
        command = [zerocts, "check", WARM_UP, MEASURED, "--subject", subject, "--python", sys.executable, "--out", out]
        command += f"--ranks {ranks} --precision fp32 --cases {cases}".split()
        subprocess.run(command, check=True, capture_output=True)
        with open(os.path.join(out, "results.ndjson"), encoding="utf-8") as log:
            records = [json.loads(line) for line in log]
    measured = [record for record in records if record["record"] == "configuration" and record["clause"] == MEASURED]
    return sum(record["cases"] for record in measured) / sum(record["seconds"] for record in measured)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("zerocts")
    options.add_argument("--ranks", default="2,4")
    options.add_argument("--cases", type=int, default=60)
    options.add_argument("--rounds", type=int, default=3)
    add_option(options)
    options = options.parse_args()
    records = Records(options.zerocts, options.out)
    print(
        f"torch {torch.__version__}, {options.rounds} rounds of {options.cases} cases in turns, load "
        f"{os.getloadavg()[0]:.1f}; cases per second, medians"
    )
    print(f"{'subject':<14}{'ranks':>6}{'bare':>9}{'judged':>9}{'ratio':>8}")
    for subject in BARE:
        for ranks in map(int, options.ranks.split(",")):
            rounds = [
                (bare_rate(subject, ranks, options.cases), judged_rate(options.zerocts, subject, ranks, options.cases))
                for _ in range(options.rounds)
            ]
            case = {"ranks": ranks, "torch": torch.__version__}
            for who, rates in zip((f"{subject} alone", subject), zip(*rounds)):
                records.add(who, "cases_per_second", case, "1/s", "bigger", rates)
            bare, judged = (statistics.median(rates) for rates in zip(*rounds))
            print(f"{subject:<14}{ranks:>6}{bare:>9.1f}{judged:>9.1f}{judged / bare:>8.2f}", flush=True)
    records.write()


if __name__ == "__main__":
    main()
