"""Where the local elements of a parameter lie in the whole one."""

import math
import weakref

import torch
from zerocts_watch.discovery import data_ranks, group_of, is_fsdp1


class Place:
    """kind: plain, replica (DDP), dtensor, flat (FSDP1), zero3 (DeepSpeed), unknown. `ranks` reduce its gradient."""

    def __init__(self, number, root_number, name, reference, root):
        self.number, self.root_number, self.name = number, root_number, f"{root_number}:{name}" if root_number else name
        self.parameter, self.root, self.was_held = reference, weakref.ref(root), False  # held: by an optimizer
        self.kind, self.ranks = "plain", None
        parameter, group = reference(), group_of(root)
        is_flat = getattr(parameter, "_is_flat_param", False)
        self.shape = self.local = tuple(parameter.shape)
        self.offset, self.reduce_dtype = (0,) * len(self.shape), None
        if hasattr(parameter, "to_local"):
            self.of_dtensor(parameter)
        elif is_flat and "NO_SHARD" not in str(root.sharding_strategy):
            size = group.size()
            self.kind, self.ranks = "flat", data_ranks(root)
            self.shape, self.local = (parameter.numel() * size,), (parameter.numel(),)
            self.offset = (parameter.numel() * group.rank(),)
        elif hasattr(parameter, "ds_tensor"):
            self.kind = "zero3"
        elif is_fsdp1(root) and not is_flat:
            self.kind = "unknown"
        elif group is not None:
            self.kind, self.ranks = "replica", data_ranks(root)
        # A flat parameter ends with padding, which no gradient reaches.
        self.numel = getattr(parameter, "_unpadded_unsharded_size", torch.Size(self.shape)).numel()

    @property
    def is_whole(self):
        return self.local == self.shape

    def reduces_later(self):
        """DeepSpeed's engine does, behind the end of backward."""
        return type(self.root()).__name__ == "DeepSpeedEngine"

    def is_hooked(self):
        """Has the user given DDP a communication hook?"""
        return bool(getattr(self.root(), "_comm_hooks", None))

    def of_dtensor(self, parameter):
        from torch.distributed.tensor._utils import compute_local_shape_and_global_offset

        self.kind = "dtensor"
        if any(type(p).__name__ not in ("Shard", "Replicate") for p in parameter.placements):
            self.kind = "unknown"  # strided shards, partial sums
            return
        mesh = parameter.device_mesh
        _, self.offset = compute_local_shape_and_global_offset(parameter.shape, mesh, parameter.placements)
        held = parameter.to_local().shape  # an empty one may have another number of dimensions
        self.local = tuple(held) if held.numel() else (0,) * len(self.shape)
        self.ranks = mesh.mesh.flatten().tolist()

    def inside(self, position):
        """A position of the whole tensor as one of the local part, or None."""
        here = 0
        for dim, (begin, size) in enumerate(zip(self.offset, self.local)):
            at, position = divmod(position, math.prod(self.shape[dim + 1 :]))
            if not begin <= at < begin + size:
                return None
            here = here * size + at - begin
        return here

    def record(self):
        return {
            "parameter": self.number, "name": self.name, "place": self.kind, "shape": list(self.shape),
            "offset": list(self.offset), "local": list(self.local), "ranks": self.ranks,
        }  # fmt: skip
