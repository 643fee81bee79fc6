"""torch.distributed over gloo, once per rank and again after a collective failed. Ranks find each other through the host."""
import datetime

import torch.distributed as dist

from .connections import cut, open_connections

LOOPBACK = "127.0.0.1"


class ProcessGroup:
    def __init__(self):
        self._usable = False
        self._others = {}  # connections that are not the group's

    def ensure(self, host):
        if self._usable:
            return
        if dist.is_initialized():
            dist.destroy_process_group()
        self._others = open_connections()
        timeout = datetime.timedelta(seconds=host.deadline_s)
        host.progress("init_process_group")
        dist.init_process_group("gloo", store=self._store(host, timeout), rank=host.rank, world_size=host.world_size, timeout=timeout)
        self._usable = True

    def abandon(self):
        """gloo cannot abort, so its connections are cut: ranks that wait in a collective fail now, not at their deadline."""
        if dist.is_initialized():
            cut({inode: descriptor for inode, descriptor in open_connections().items() if inode not in self._others})
        self._usable = False

    @staticmethod
    def _store(host, timeout):
        if host.rank == 0:
            store = dist.TCPStore(LOOPBACK, 0, host.world_size, True, timeout, wait_for_workers=False)
            host.put("store", store.port.to_bytes(4, "little"))
            return store
        port = int.from_bytes(host.get("store", 4), "little")
        return dist.TCPStore(LOOPBACK, port, host.world_size, False, timeout)

    @staticmethod
    def end():
        if dist.is_initialized():
            dist.destroy_process_group()
