#!/usr/bin/env python3
"""Trains a small model that asks itself to be watched, before its first step.

usage: fork_ranks.py W calls_watch.py OUT [sum]     sum: gradients are added in place of averaged
"""

import os
import sys

import torch
import torch.distributed as dist
import zerocts
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook


def added(state, bucket):
    return allreduce_hook(state, bucket).then(lambda mean: mean.value() * dist.get_world_size())


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 3))
    rank = 0
    if int(os.environ["WORLD_SIZE"]) > 1:
        dist.init_process_group("gloo")
        rank = dist.get_rank()
        model = nn.parallel.DistributedDataParallel(model)
        if "sum" in sys.argv:
            model.register_comm_hook(None, added)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    zerocts.watch(model, optimizer, out=sys.argv[1], every=1)
    data = torch.Generator().manual_seed(rank)
    for _ in range(6):
        model(torch.randn(4, 5, generator=data)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    if dist.is_initialized():
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
