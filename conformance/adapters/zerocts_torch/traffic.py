"""What the collectives of torch.distributed move, by their definitions: whatever a backend makes of them. Those inside
of operations on DTensors, as the norm's, are seen where ranks are threads alone.
"""

import math
import threading

from torch import Tensor
from torch.distributed import ProcessGroup
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from zerocts_rank import UNIMPLEMENTED, Refused, Traffic

_of_thread = threading.local()
MOVES_NOTHING = ("barrier", "monitored_barrier_")


def count(name, *args):
    """For a group that torch's dispatcher does not see: as an operator of c10d of this name, on this thread."""
    if counter := getattr(_of_thread, "counter", None):
        counter.count(name, *args)


def bytes_of(argument):
    return sum(leaf.numel() * leaf.element_size() for leaf in tree_leaves(argument) if isinstance(leaf, Tensor))


def unboxed(group):
    """`group` as an operator gets it, or as ranks that are threads have it."""
    return group if isinstance(group, ProcessGroup) else ProcessGroup.unbox(group)


def others_in(group):
    return unboxed(group).size() - 1


class TrafficCounter(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.traffic = Traffic()

    def __enter__(self):
        _of_thread.counter = self
        return super().__enter__()

    def __exit__(self, *failed):
        _of_thread.counter = None
        return super().__exit__(*failed)

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if function.namespace == "c10d":
            self.count(function._schema.name.removeprefix("c10d::"), *args)
        return function(*args, **(kwargs or {}))

    def count(self, name, *args):
        if name in MOVES_NOTHING:
            return
        count = getattr(self, "_" + name.strip("_"), None)
        if count is None:
            raise Refused(UNIMPLEMENTED, f"traffic of {name}")
        count(*args)

    def _add(self, moved, sent_bytes, received_bytes):
        moved.calls += 1
        moved.sent_bytes += sent_bytes
        moved.received_bytes += received_bytes

    def _allgather_base(self, whole, own, group, *_):
        self._add(self.traffic.all_gather, others_in(group) * bytes_of(own), bytes_of(whole) - bytes_of(own))

    def _reduce_scatter_base(self, own, whole, group, *_):
        self._add(self.traffic.reduce_scatter, bytes_of(whole) - bytes_of(own), others_in(group) * bytes_of(own))

    _allgather = _allgather_base
    _reduce_scatter = _reduce_scatter_base

    def _allreduce(self, tensors, group, *_):
        """A reduce-scatter and an all-gather, of parts that are rounded up to bytes."""
        others = others_in(group)
        both = math.ceil(2 * others * bytes_of(tensors) / (others + 1))
        self._add(self.traffic.all_reduce, both, both)

    def _broadcast(self, tensors, group, root, *_):
        is_root = root == unboxed(group).rank()
        self._add(
            self.traffic.broadcast,
            others_in(group) * bytes_of(tensors) if is_root else 0,
            0 if is_root else bytes_of(tensors),
        )
