"""What cannot be judged, each for one reason."""

import torch
import torch.distributed as dist


class NoOptimizer:
    pass


class WantsMore(torch.optim.Optimizer):
    def __init__(self, params, optimizer_cls, owner_table, **kwargs):
        super().__init__(params, kwargs)


class RaisesWhenMade(torch.optim.Optimizer):
    def __init__(self, params, optimizer_cls, **kwargs):
        self.part = {}[dist.get_rank()]


class ShardsNothing(torch.optim.AdamW):
    pass


class RaisesInStep(torch.optim.Optimizer):
    def __init__(self, params, optimizer_cls, **kwargs):
        super().__init__(params, kwargs)
        everything = [p for group in self.param_groups for p in group["params"]]
        self.inner = optimizer_cls(everything[dist.get_rank() :: dist.get_world_size()], **kwargs)

    def step(self):
        raise IndexError("no bucket 3")
