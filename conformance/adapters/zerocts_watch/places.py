"""Where the local elements of a parameter lie in the whole one."""

import math
import weakref

import torch
from zerocts_watch.discovery import data_ranks, group_of, is_fsdp1
from zerocts_watch.partitions import is_engine, is_one_of_several, partition_of, stepper_of

UNFOLLOWED = ("unknown", "zero3")  # whose gradients are not followed


class Part:
    """kind: plain, replica (DDP), dtensor, flat (FSDP1), partition, zero3 (DeepSpeed), unknown. `ranks` reduce its
    gradient."""

    def __init__(self, number, name, kind, shape, ranks=None):
        self.number, self.name, self.kind, self.ranks = number, name, kind, ranks
        self.shape = self.local = tuple(shape)
        self.offset, self.numel = (0,) * len(self.shape), math.prod(self.shape)

    @property
    def is_whole(self):
        return self.local == self.shape

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


class Place(Part):
    def __init__(self, number, root_number, name, reference, root):
        parameter, group = reference(), group_of(root)
        self.root_number, self.parameter, self.root = root_number, reference, weakref.ref(root)
        self.was_held = False  # by an optimizer
        self.reduce_dtype = self.read_dtype = None  # where they are not that of its gradient
        super().__init__(number, f"{root_number}:{name}" if root_number else name, "plain", parameter.shape)
        is_flat = getattr(parameter, "_is_flat_param", False)
        if is_one_of_several(parameter, root):
            self.kind = "unknown"
        elif hasattr(parameter, "to_local"):
            self.of_dtensor(parameter)
        elif is_flat and "NO_SHARD" not in str(root.sharding_strategy):
            size = group.size()
            self.kind, self.ranks = "flat", data_ranks(root)
            self.shape, self.local = (parameter.numel() * size,), (parameter.numel(),)
            self.offset = (parameter.numel() * group.rank(),)
        elif hasattr(parameter, "ds_tensor"):
            self.kind, self.ranks = "zero3", data_ranks(root)
        elif is_fsdp1(root) and not is_flat:
            self.kind = "unknown"
        elif group is not None:
            self.kind, self.ranks = "replica", data_ranks(root)
        # A flat parameter ends with padding, which no gradient reaches.
        self.numel = getattr(parameter, "_unpadded_unsharded_size", torch.Size(self.shape)).numel()
        self.find_partition(parameter, root)
        self.find_dtypes_of_deepspeed(parameter, root)

    def find_partition(self, parameter, root):
        """DeepSpeed steps a part of a copy in its place: `copy` is where it lies, `partition` what it has."""
        self.partition = self.copy = None
        self.has_copy = stepper_of(root) is not None
        if self.has_copy and (partition := partition_of(parameter, root)):
            numel = getattr(parameter, "ds_numel", parameter.numel())
            self.partition, self.copy = partition, Part(self.number + 1, self.name, "partition", (numel,), self.ranks)
            self.copy.offset, self.copy.local = (partition.begin,), (partition.numel,)

    def find_dtypes_of_deepspeed(self, parameter, root):
        """Under `torch_autocast` each parameter has one, in which stage 3 also gathers it."""
        own = getattr(parameter, "comm_dtype", parameter.dtype)
        sent = min(own, getattr(root, "communication_data_type", own), key=lambda dtype: dtype.itemsize)
        if sent.itemsize < parameter.dtype.itemsize:
            self.reduce_dtype = str(sent)[6:]
        if self.kind == "zero3":
            self.read_dtype = str(own)[6:]

    @property
    def stepped(self):
        return self.copy or self

    @property
    def is_followed(self):
        return bool(self.copy) if self.has_copy else self.kind not in UNFOLLOWED

    def reduces_later(self):
        """DeepSpeed's engine does, behind the end of backward."""
        return is_engine(self.root())

    def is_hooked(self):
        """Has the user given DDP a communication hook, or does an optimizer reduce in DeepSpeed's place?"""
        root = self.root()
        return bool(getattr(root, "_comm_hooks", None)) or not getattr(root, "enable_backward_allreduce", True)

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
