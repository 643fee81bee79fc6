"""What the collectives of torch.distributed move, by their definitions: whatever a backend makes of them. Those inside
of operations on DTensors, as the norm's, are not seen.
"""

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from zerocts_rank import UNIMPLEMENTED, Refused, Traffic

MOVES_NOTHING = ("barrier", "monitored_barrier_")


def bytes_of(argument):
    return sum(leaf.numel() * leaf.element_size() for leaf in tree_leaves(argument) if isinstance(leaf, Tensor))


class TrafficCounter(TorchDispatchMode):
    def __init__(self, rank, world_size):
        super().__init__()
        self._rank, self._others = rank, world_size - 1
        self.traffic = Traffic()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if function.namespace == "c10d":
            name = function._schema.name.removeprefix("c10d::")
            if name not in MOVES_NOTHING:
                count = getattr(self, "_" + name.strip("_"), None)
                if count is None:
                    raise Refused(UNIMPLEMENTED, f"traffic of {name}")
                count(*args)
        return function(*args, **(kwargs or {}))

    def _add(self, moved, sent_bytes, received_bytes):
        moved.calls += 1
        moved.sent_bytes += sent_bytes
        moved.received_bytes += received_bytes

    def _allgather_base(self, whole, own, *_):
        self._add(self.traffic.all_gather, self._others * bytes_of(own), bytes_of(whole) - bytes_of(own))

    def _reduce_scatter_base(self, own, whole, *_):
        self._add(self.traffic.reduce_scatter, bytes_of(whole) - bytes_of(own), self._others * bytes_of(own))

    _allgather = _allgather_base
    _reduce_scatter = _reduce_scatter_base

    def _allreduce(self, tensors, *_):
        """A reduce-scatter and an all-gather."""
        both = 2 * self._others * bytes_of(tensors) // (self._others + 1)
        self._add(self.traffic.all_reduce, both, both)

    def _broadcast(self, tensors, group, root, *_):
        is_root = root == self._rank
        self._add(
            self.traffic.broadcast,
            self._others * bytes_of(tensors) if is_root else 0,
            0 if is_root else bytes_of(tensors),
        )
