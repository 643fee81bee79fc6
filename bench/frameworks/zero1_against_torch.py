#!/usr/bin/env python3
"""The optimizer step of ZeRO stage 1 against the best PyTorch way on gloo, on this machine.

usage: zero1_against_torch.py STEP_BENCH [--rounds N] [--steps N] [--out RECORDS]

PyTorch: ZeroRedundancyOptimizer with parameters_as_bucket_view and fused AdamW; gradients, which stand in flat buckets
of 25 MiB as DDP keeps them, are averaged by all_reduce, all of them under way at once. Ours: step_bench, stage 1, ranks
that are processes. The same 148 tensors of GPT-2 (124,439,808 parameters, fp32), two processes of one thread each. The
two take turns, so that a noisy moment hits both; a step is that of the slower rank. Exit code 77 where torch is
missing.
"""

import argparse
import os
import statistics
import sys
import time

from records import Records, add_option, records_of

try:
    import torch
    import torch.distributed as dist
    import torch.multiprocessing as processes
    from torch.distributed.optim import ZeroRedundancyOptimizer
except ImportError as missing:
    print(f"skipped: {missing}; see bench/README.md for the environment")
    sys.exit(77)

RANKS = 2
BUCKET = 25 * 2**20 // 4  # elements


def gpt2_shapes():
    vocab, context, layers, width = 50257, 1024, 12, 768
    yield from ((vocab, width), (context, width))
    for _ in range(layers):
        yield from ((width,), (width,), (3 * width, width), (3 * width,), (width, width), (width,))
        yield from ((width,), (width,), (4 * width, width), (4 * width,), (width, 4 * width), (width,))
    yield from ((width,), (width,))


def in_buckets(tensors):
    """Runs of tensors, from the last to the first, of at most BUCKET elements or a single larger one."""
    buckets, numel = [[]], 0
    for tensor in reversed(tensors):
        if buckets[-1] and numel + tensor.numel() > BUCKET:
            buckets.append([])
            numel = 0
        buckets[-1].append(tensor)
        numel += tensor.numel()
    return buckets


def give_gradients(parameters):
    """Makes every gradient a view into a flat bucket; returns the buckets."""
    flats = []
    for bucket in in_buckets(parameters):
        flat = torch.empty(sum(p.numel() for p in bucket)).uniform_(-1 / 64, 1 / 64)
        offset = 0
        for p in bucket:
            p.grad = flat[offset : offset + p.numel()].view_as(p)
            offset += p.numel()
        flats.append(flat)
    return flats


def run_rank(rank, port, steps, seconds):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.set_num_threads(1)
    torch.manual_seed(rank)
    dist.init_process_group("gloo", rank=rank, world_size=RANKS)
    parameters = [torch.nn.Parameter(torch.empty(shape).uniform_(-1 / 64, 1 / 64)) for shape in gpt2_shapes()]
    assert len(parameters) == 148 and sum(p.numel() for p in parameters) == 124439808
    buckets = give_gradients(parameters)
    optimizer = ZeroRedundancyOptimizer(
        parameters,
        optimizer_class=torch.optim.AdamW,
        parameters_as_bucket_view=True,
        lr=1e-4,
        betas=(0.9, 0.95),
        weight_decay=0.1,
        fused=True,
    )
    for step in range(steps + 1):
        dist.barrier()
        begin = time.perf_counter()
        for work in [dist.all_reduce(bucket, op=dist.ReduceOp.AVG, async_op=True) for bucket in buckets]:
            work.wait()
        optimizer.step()
        if step > 0:  # the first one makes the state
            seconds[rank * steps + step - 1] = time.perf_counter() - begin
    dist.destroy_process_group()


def torch_seconds(steps, port):
    seconds = processes.get_context("spawn").Array("d", RANKS * steps)
    processes.spawn(run_rank, args=(port, steps, seconds), nprocs=RANKS)
    return [max(seconds[rank * steps + step] for rank in range(RANKS)) for step in range(steps)]


def our_results(program, steps):
    options = f"--model gpt2-124m --transport shm --stages 1 --precision fp32 --ranks {RANKS} --steps {steps}"
    records = records_of(program, *options.split())
    step = next(record for record in records if record["name"].startswith("optimizer_step/"))
    norm = next(record for record in records if record["case"].get("part") == "norm")
    return {"step": step["samples"], "norm": norm["samples"], "bound": step["bound"]["value"]}


def free_port():
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--steps", type=int, default=5, help="of each round")
    add_option(arguments)
    arguments = arguments.parse_args()
    ours, without_norm, bound, theirs = [], [], [], []
    for _ in range(arguments.rounds):
        results = our_results(arguments.program, arguments.steps)
        ours += results["step"]
        without_norm += [step - norm for step, norm in zip(results["step"], results["norm"])]
        bound.append(results["bound"])
        theirs += torch_seconds(arguments.steps, free_port())
    print(
        f"torch {torch.__version__}, {arguments.rounds} rounds of {arguments.steps} steps in turns, "
        f"load {os.getloadavg()[0]:.1f}; ms per step"
    )
    print(f"{'':<52}{'median':>9}{'least':>9}{'torch / this (median)':>24}")
    rows = (
        ("torch: all_reduce, ZeroRedundancyOptimizer, fused", theirs),
        ("zerocts stage 1, shm, with the exact norm", ours),
        ("zerocts stage 1, shm, without the norm", without_norm),
        ("memory bound of the same runs", bound),
    )
    records = Records(arguments.program, arguments.out)
    case = {"model": "gpt2-124m", "ranks": RANKS, "stage": 1, "precision": "fp32", "torch": torch.__version__}
    for name, seconds in rows:
        ratio = statistics.median(theirs) / statistics.median(seconds)
        records.add(name, "optimizer_step_beside_torch", case, "s", "smaller", seconds)
        print(f"{name:<52}{1e3 * statistics.median(seconds):>9.1f}{1e3 * min(seconds):>9.1f}{ratio:>24.2f}")
    records.write()


if __name__ == "__main__":
    main()
