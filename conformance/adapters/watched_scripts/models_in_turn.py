#!/usr/bin/env python3
"""Trains several small models one after another, each of which must be gone before the next: alone and in DDP, wrapped
anew for a second phase, with a table whose rows are rarely read, clipped by keywords, and saved whole; then two.
Asks for torch before it imports it, as libraries do.

usage: fork_ranks.py 2 models_in_turn.py
"""

import gc
import importlib.util
import pickle
import weakref

importlib.util.find_spec("torch")

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
from torch import nn  # noqa: E402

ROWS = 1000


def train(model, data):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for _ in range(6):
        for _ in range(2):
            rows = torch.randint(ROWS, (4,), generator=data)
            model(rows).square().mean().backward()
        norm = nn.utils.clip_grad_norm_(parameters=(p for p in model.parameters()), max_norm=1.0)
        assert norm > 0, "the norm of no gradient"
        optimizer.step()
        optimizer.zero_grad()


def train_two():
    """A critic, and a generator whose backward runs through it, each with an optimizer of its own."""
    generator, critic = nn.Linear(4, 3), nn.Linear(3, 1)
    optimizers = [torch.optim.Adam(part.parameters()) for part in (generator, critic)]
    for _ in range(6):
        critic.zero_grad()
        critic(torch.randn(2, 3)).mean().backward()
        critic(generator(torch.randn(2, 4)).detach()).mean().neg().backward()
        optimizers[1].step()
        generator.zero_grad()
        critic(generator(torch.randn(2, 4))).mean().backward()
        optimizers[0].step()


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    dist.init_process_group("gloo")
    for turn in range(3):
        for is_wrapped in (False, True, True):
            model = nn.Sequential(nn.Embedding(ROWS, 3), nn.Linear(3, 2))
            own = dist.get_rank() if is_wrapped else 0
            data = torch.Generator().manual_seed(turn * 10 + own)
            for _ in range(2):
                train(nn.parallel.DistributedDataParallel(model) if is_wrapped else model, data)
            pickle.dumps(model)
            left = [weakref.ref(part) for part in (model, model[0].weight)]
            del model
            gc.collect()
            assert not any(part() is not None for part in left), "something keeps a model"
    train_two()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
