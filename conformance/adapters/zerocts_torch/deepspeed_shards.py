"""Where DeepSpeed's stages keep a parameter and what belongs to it: its own rank's part, in memory or by the calls for
it. `tensor` is the Parameter that the model was made with.
"""

import deepspeed
import torch
from deepspeed.utils import (
    safe_get_local_fp32_param,
    safe_get_local_grad,
    safe_get_local_optimizer_state,
    safe_set_full_fp32_param,
    safe_set_local_fp32_param,
)

from . import optimizers

MASTER = "master"


def masters_of(optimizer):
    return [tensor for group in optimizer.param_groups for tensor in group["params"]]


class Replicated:
    """Stage 0: every rank has everything."""

    def __init__(self, engine):
        self.optimizer = engine.optimizer

    def whole(self, tensor):
        return tensor.detach().clone()

    def interval(self, tensor):
        return 0, tensor.numel()

    def masters(self):
        return masters_of(self.optimizer)

    def state(self, name, tensor):
        return tensor if name == MASTER else optimizers.state_of(self.optimizer.state.get(tensor, {}), name, tensor)

    def gradient(self, tensor):
        return tensor.grad


class FlatGroups:
    """Stages 1 and 2: the tensors of a group are one flat tensor, of which each rank has a part. A tensor's
    `_hp_mapping` says where.
    """

    def __init__(self, engine):
        self.optimizer = engine.optimizer.optimizer

    def whole(self, tensor):
        return tensor.detach().clone()

    def interval(self, tensor):
        mapping = getattr(tensor, "_hp_mapping", None)  # DeepSpeed passes over parameters without elements
        return (
            (mapping.lp_fragment_address.start, mapping.lp_fragment_address.start + mapping.lp_fragment_address.numel)
            if mapping
            else (0, 0)
        )

    def masters(self):
        return masters_of(self.optimizer)

    def state(self, name, tensor):
        """From the flat tensor of its group: safe_get_full_optimizer_state knows those of the first group only, since
        DeepSpeed links states once, after the first group has stepped.
        """
        mapping = tensor._hp_mapping
        if name == MASTER:
            return mapping.hp_fragment
        (flat,) = self.optimizer.param_groups[mapping.param_group_index]["params"]
        return optimizers.state_of(self.optimizer.state.get(flat, {}), name, flat).narrow(
            0, mapping.hp_fragment_address.start, mapping.hp_fragment_address.numel
        )

    def set_master(self, tensor, values):
        safe_set_full_fp32_param(tensor, values)

    def gradient(self, tensor):
        return tensor._hp_mapping.get_lp_grad_fragment(tensor._index_in_param_group)


class FlatGroupsOfBf16(FlatGroups):
    """BF16_Optimizer: every rank has the whole gradients."""

    def __init__(self, engine):
        super().__init__(engine)
        self.zero = engine.optimizer

    def gradient(self, tensor):
        """By position in its group: older releases count otherwise in `_index_in_param_group`, so safe_get_full_grad
        gives another one's.
        """
        group, (begin, end) = tensor._hp_mapping.param_group_index, self.interval(tensor)
        index = next(index for index, other in enumerate(self.zero.bf16_groups[group]) if other is tensor)
        return self.zero.fp32_groups_gradients[group][index].flatten()[begin:end]


class CutTensors:
    """Stage 3: of each tensor each rank has a part, padding behind it."""

    def __init__(self, engine):
        self.zero = engine.optimizer

    def masters(self):
        """Outside its step the optimizer has no parameters."""
        return self.zero.fp32_partitioned_groups_flat

    def whole(self, tensor):
        """Collective."""
        with deepspeed.zero.GatheredParameters([tensor]):
            return tensor.detach().clone()

    def interval(self, tensor):
        rank, part = torch.distributed.get_rank(), tensor.ds_tensor.ds_numel
        return min(rank * part, tensor.ds_numel), min((rank + 1) * part, tensor.ds_numel)

    def state(self, name, tensor):
        master = safe_get_local_fp32_param(tensor)
        try:
            return master if name == MASTER else safe_get_local_optimizer_state(tensor, optimizers.STATE_KEYS[name])
        except KeyError:  # the optimizer has none yet
            return torch.zeros_like(master)

    def set_master(self, tensor, values):
        """safe_set_full_fp32_param would cut `values` as if they had no padding."""
        part, (begin, end) = values.new_zeros(tensor.ds_tensor.ds_numel), self.interval(tensor)
        part[: end - begin] = values.flatten()[begin:end]
        safe_set_local_fp32_param(tensor, part)

    def gradient(self, tensor):
        return safe_get_local_grad(tensor)


OF_SUBJECT = {
    "deepspeed-0": Replicated,
    "deepspeed-1": FlatGroups,
    "deepspeed-1-bf16": FlatGroupsOfBf16,
    "deepspeed-2": FlatGroups,
    "deepspeed-3": CutTensors,
}
