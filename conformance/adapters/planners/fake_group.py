"""A process group of any size in one process: torch's `fake` backend, whose collectives do nothing."""

import contextlib

import torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore


@contextlib.contextmanager
def fake_group(rank, world_size):
    """The default group is a fake one with this rank while the block runs."""
    dist.init_process_group("fake", store=FakeStore(), rank=rank, world_size=world_size)
    try:
        yield dist.group.WORLD
    finally:
        dist.destroy_process_group()
