"""What DeepSpeed steps in a parameter's place: this rank's part of an fp32 copy, and the gradient of that part."""

import dataclasses
import weakref

import torch

GROUPS = ("bit16_groups", "fp16_groups", "bf16_groups")  # of parameters, as its optimizers call them
FOLLOWED = ("DeepSpeedZeroOptimizer", "DeepSpeedZeroOptimizer_Stage3", "BF16_Optimizer")
COPIES = ("single_partition_of_fp32_groups", "fp32_groups_flat_partition", "fp32_partitioned_groups_flat")


def is_engine(root, name="DeepSpeedEngine"):
    return any(kind.__name__ == name for kind in type(root).__mro__)


def is_one_of_several(parameter, root):
    """Other stages of a pipeline, other experts may have parameters of this name; all are clipped together."""
    is_expert = not getattr(parameter, "allreduce", True)
    return is_expert or is_engine(root, "PipelineEngine")


def stepper_of(root):
    """The optimizer of a DeepSpeed engine that steps copies of the model's parameters, or None."""
    optimizer = getattr(root, "optimizer", None) if is_engine(root) else None
    return None if isinstance(optimizer, torch.optim.Optimizer) else optimizer


def parameters_of(stepper):
    groups = next((getattr(stepper, name) for name in GROUPS if hasattr(stepper, name)), [])
    return [parameter for group in groups for parameter in group]


def copies_of(stepper):
    """Flat tensors, one for each group of parameters."""
    return next((getattr(stepper, name) for name in COPIES if hasattr(stepper, name)), [])


class Partition:
    """`numel` elements of a flattened parameter from `begin` on: those of `copies[group]` from `there` on."""

    def __init__(self, parameter, stepper):
        self.stepper, self.group, self.there, self.begin, self.numel = weakref.ref(stepper), 0, 0, 0, 0
        if hasattr(parameter, "ds_tensor"):
            self.group, self.there, size = stepper.grad_position[stepper.get_param_id(parameter)]
            self.begin = size * torch.distributed.get_rank(parameter.ds_process_group)
            self.numel = max(0, min(size, parameter.ds_numel - self.begin))  # the last one is padded
        elif parameter._hp_mapping is not None:
            mapping = parameter._hp_mapping
            self.group, self.there = mapping.param_group_index, mapping.hp_fragment_address.start
            self.begin, self.numel = mapping.lp_fragment_address.start, mapping.lp_fragment_address.numel

    def of_copy(self, flat):
        return flat.detach()[self.there : self.there + self.numel]

    def value(self):
        return self.of_copy(copies_of(self.stepper())[self.group])

    def reduced(self, parameter):
        """Its gradient before the optimizer unscales and clips it; None where DeepSpeed does not find it."""
        if self.numel == 0:
            return torch.empty(0)
        if hasattr(parameter, "ds_tensor"):
            return self.stepper().get_local_fp32_grad_for_param(parameter)[: self.numel]
        mapping = parameter._hp_mapping
        current = getattr(self.stepper(), "averaged_gradients", mapping.gradient_dict)
        mapping = dataclasses.replace(mapping, gradient_dict=current)  # 0.16 keeps an old one after an overflow
        try:
            gradient = mapping.get_lp_grad_fragment(parameter._index_in_param_group).detach().view(-1)
        except (IndexError, ValueError):  # no backward reached the group
            return None
        gradient = gradient[self.begin :][: self.numel] if gradient.numel() == parameter.numel() else gradient
        return gradient if gradient.numel() == self.numel else None


def is_understood(engine, stepper):
    """Where gradients are averaged over the ranks of the engine, and steps are those of the optimizer within."""
    others = ("swap_optimizer", "torch_autocast_gradscaler", "zenflow", "round_robin_gradients")
    is_plain = type(stepper).__name__ in FOLLOWED and not any(getattr(stepper, name, None) for name in others)
    return is_plain and getattr(engine, "sequence_parallel_size", 1) == 1 and not engine.zero_quantized_gradients()


def partition_of(parameter, engine):
    """None where it is not known."""
    stepper = stepper_of(engine)
    is_linked = hasattr(parameter, "_hp_mapping") or hasattr(parameter, "_z3_optimizer")
    is_other = is_one_of_several(parameter, engine) or getattr(parameter, "use_muon", False)
    try:
        return Partition(parameter, stepper) if is_linked and not is_other and is_understood(engine, stepper) else None
    except AttributeError:  # a release that calls it otherwise
        return None
