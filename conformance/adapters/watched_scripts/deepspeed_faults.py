"""Faults inside DeepSpeed, and of its users, planted in train_deepspeed.py by --fault NAME; for 0.19.8."""

import torch
from deepspeed.runtime.engine import DeepSpeedEngine
from deepspeed.runtime.zero import stage_1_and_2
from deepspeed.runtime.zero.stage3 import DeepSpeedZeroOptimizer_Stage3 as Stage3
from deepspeed.runtime.zero.stage_1_and_2 import DeepSpeedZeroOptimizer as Stage2

STEP, RANK = 3, 1  # at which, on which


class Fault:
    step, rank = 0, 0

    def before_engine(self, model, rank):
        self.rank = rank

    def after_engine(self, model, optimizer):
        pass

    def begin_step(self, optimizer, step, rank):
        self.step = step

    def after_backward(self, engine, optimizer):
        pass

    def is_due(self):
        return self.step == STEP and self.rank == RANK


class Sum(Fault):
    """In place of the mean."""

    def before_engine(self, model, rank):
        Stage2.gradient_average = property(lambda self: False, lambda self, value: None)


class NotGathered(Fault):
    """Each rank keeps its own part of the step."""

    def before_engine(self, model, rank):
        original = stage_1_and_2.all_gather_dp_groups
        stage_1_and_2.all_gather_dp_groups = lambda **arguments: None if self.step == STEP else original(**arguments)


class Shifted(Fault):
    """The gradient of one tensor in a partition, by an element."""

    def before_engine(self, model, rank):
        original = Stage2.get_flat_partition

        def shifted(optimizer, *args, **kwargs):
            parts = original(optimizer, *args, **kwargs)
            if rank == RANK:
                parts[1] = parts[1].reshape(-1).roll(1).view_as(parts[1])
            return parts

        Stage2.get_flat_partition = shifted


class NormOfOwnPart(Fault):
    """Each rank clips by the norm of what it steps."""

    def before_engine(self, model, rank):
        def norm(optimizer, norm_type=2):
            parts = [g.double() for parts in optimizer.averaged_gradients.values() for g in parts]
            return torch.sqrt(sum((part**2).sum() for part in parts)).float()

        Stage2.scaled_global_norm = norm


class NotSentToAll(Fault):
    """Ranks begin with weights of their own."""

    def before_engine(self, model, rank):
        DeepSpeedEngine._broadcast_model = lambda engine: None
        with torch.no_grad():
            model.norm.weight.add_(rank)


class StalePart(Fault):
    """Stage 3 steps its copy, and a rank gives out the part of the step before."""

    def before_engine(self, model, rank):
        self.rank = rank
        original = Stage3._reassign_or_swap_out_partitioned_parameters
        Stage3._reassign_or_swap_out_partitioned_parameters = lambda optimizer, group: (
            None if self.is_due() else original(optimizer, group)
        )


class CopyRounded(Fault):
    """The fp32 copy, to the dtype of the model."""

    def before_engine(self, model, rank):
        original = Stage2._optimizer_step

        def rounded(optimizer, group):
            original(optimizer, group)
            copy = optimizer.single_partition_of_fp32_groups[group]
            copy.data.copy_(copy.data.bfloat16().float())

        Stage2._optimizer_step = rounded


class MomentsLost(Fault):
    def begin_step(self, optimizer, step, rank):
        if step == STEP and rank == RANK:
            for state in optimizer.optimizer.state.values():
                state["exp_avg"].zero_()


class BatchGivenUp(Fault):
    """Nothing is kept of the first micro-batch, as where a loss is not finite."""

    def begin_step(self, optimizer, step, rank):
        self.is_first = True

    def after_backward(self, engine, optimizer):
        if self.is_first:
            engine.zero_grad()
            optimizer.zero_grad()
        self.is_first = False


class LoadedBehindIt(Fault):
    """The user loads weights into the model that the engine has copied; the first step brings the copies back."""

    def after_engine(self, model, optimizer):
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.mul_(0.5)


FAULTS = {
    "": Fault,
    "sum": Sum,
    "not-gathered": NotGathered,
    "shifted": Shifted,
    "norm-of-own-part": NormOfOwnPart,
    "not-sent-to-all": NotSentToAll,
    "stale-part": StalePart,
    "copy-rounded": CopyRounded,
    "moments-lost": MomentsLost,
    "batch-given-up": BatchGivenUp,
    "loaded-behind-it": LoadedBehindIt,
}


def planted(name):
    return FAULTS[name]()
