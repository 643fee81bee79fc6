"""The optimizers and the DDP beside this file, each with one fault."""

import torch
from averages_inside import ShardedAdamW
from right import BucketedDDP, ShardedOptimizer


class LastBucketNotWaitedFor(BucketedDDP):
    def finish_gradient_synchronization(self):
        self.forgotten = self.handles.pop()
        super().finish_gradient_synchronization()


class GroupsLost(ShardedOptimizer):
    """All parameters have the hyper-parameters of the first group."""

    def step(self, closure=None):
        first = {key: value for key, value in self.param_groups[0].items() if key != "params"}
        for group in self.param_groups[1:]:
            group.update(first)
        return super().step(closure)


class GroupsLostAndNoEmptyRanks(GroupsLost):
    """And torch refuses an empty list of parameters."""

    def __init__(self, params, optimizer_cls, **kwargs):
        super().__init__(params, optimizer_cls, **kwargs)
        optimizer_cls([p for group in self.inner.param_groups for p in group["params"]], **kwargs)


class BroadcastFromWrongOwner(ShardedOptimizer):
    def root_of(self, owner):
        return (owner + 1) % self.world_size


class AddParamGroupForgotten(ShardedOptimizer):
    """Only the constructor gives parameters to owners."""

    def __init__(self, params, optimizer_cls, **kwargs):
        self.is_made = False
        super().__init__(params, optimizer_cls, **kwargs)
        self.is_made = True

    def add_param_group(self, group):
        if self.is_made:
            torch.optim.Optimizer.add_param_group(self, group)
        else:
            super().add_param_group(group)


class ZeroGradOfOwnOnly(ShardedOptimizer):
    """Gradients of other ranks' parameters stay, and the next are added to them."""

    def zero_grad(self, set_to_none=True):
        self.inner.zero_grad(set_to_none)


class ZeroGradToZero(ShardedOptimizer):
    def zero_grad(self, set_to_none=True):
        super().zero_grad(set_to_none=False)


class ClosureIgnored(ShardedOptimizer):
    def step(self, closure=None):
        return super().step()


class SavedByOneRank(ShardedOptimizer):
    def consolidate_state_dict(self, to=0):
        self.gathered = {i: self.inner.state[p] for i, p in enumerate(self.owner) if p in self.inner.state}


class DecayForgotten(ShardedAdamW):
    """Far from any optimizer of torch."""

    def update(self, p, state, group):
        super().update(p, state, {**group, "weight_decay": 0.0})
