"""Memory that this process holds."""

import os

import torch

PAGE = os.sysconf("SC_PAGE_SIZE")


def host_bytes():
    """Resident, and backed by no file."""
    with open("/proc/self/statm") as statm:
        _, resident, shared, *_ = map(int, statm.read().split())
    return (resident - shared) * PAGE


def device_bytes():
    return torch.cuda.memory_allocated() if torch.cuda.is_initialized() else 0
