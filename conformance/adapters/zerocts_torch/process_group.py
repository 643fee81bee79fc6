"""torch.distributed over gloo or NCCL, once per rank and again after a collective failed. Ranks find each other through
the host.
"""

import datetime

import torch
import torch.distributed as dist

from zerocts_rank import UNIMPLEMENTED, Refused
from zerocts_rank.connections import cut, open_connections

from . import device

LOOPBACK = "127.0.0.1"
LEFT = "has left the group"  # a rank whose call failed


def group_of(host):
    if not host.ranks_are_threads:
        return ProcessGroup()
    try:
        from .thread_group import ThreadRank  # noqa: PLC0415  not every release of torch has what it needs
    except ImportError as absent:
        raise Refused(UNIMPLEMENTED, f"ranks as threads, in torch {torch.__version__}: {absent}") from None
    return ThreadRank()


class ProcessGroup:
    def __init__(self):
        self._usable = False
        self._others = {}  # connections that are not the group's

    def ensure(self, host, rank_device):
        if self._all_have_it(host):
            return
        self.end()
        self._others = open_connections()
        timeout = datetime.timedelta(seconds=host.deadline_s)
        host.progress("init_process_group")
        bound = {"device_id": torch.device(rank_device.name)} if rank_device.on_gpu else {}
        dist.init_process_group(
            device.BACKENDS[rank_device.kind],
            store=self._store(host, timeout),
            rank=host.rank,
            world_size=host.world_size,
            timeout=timeout,
            **bound,
        )
        self._usable = True

    def _all_have_it(self, host):
        """A rank whose call failed has left the group, and others whose calls did not fail know nothing of it."""
        host.set(f"rank {host.rank} has a group", bytes([self._usable]))
        if host.rank == 0:
            have = [host.get(f"rank {rank} has a group", 1) for rank in range(host.world_size)]
            host.set("all have a group", min(have))
        return host.get("all have a group", 1) == b"\x01"

    def abandon(self):
        """Ranks that wait in a collective of gloo fail now, not at their deadline. A group of NCCL is left when all
        have answered: its abort is this rank's own, and takes away what other ranks still receive from this one.
        """
        if dist.is_initialized() and dist.get_backend() == "gloo":
            self._cut()
        self._usable = False

    def _cut(self):
        """gloo cannot abort."""
        cut({inode: descriptor for inode, descriptor in open_connections().items() if inode not in self._others})

    @staticmethod
    def _store(host, timeout):
        if host.rank == 0:
            store = dist.TCPStore(LOOPBACK, 0, host.world_size, True, timeout, wait_for_workers=False)
            host.set("store", store.port.to_bytes(4, "little"))
            return store
        port = int.from_bytes(host.get("store", 4), "little")
        return dist.TCPStore(LOOPBACK, port, host.world_size, False, timeout)

    def end(self):
        """The collectives of a group of NCCL that was abandoned may never end."""
        if not dist.is_initialized():
            dist.distributed_c10d._world.group_count = 0  # groups are named by it; a failed init leaves it behind
            return
        if self._usable or dist.get_backend() == "gloo":
            dist.destroy_process_group()
        else:
            dist.distributed_c10d._abort_process_group()
