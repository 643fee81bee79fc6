"""What is wrong with replicas of a sharding group."""

import numpy
import torch
import torch.distributed as dist

from zerocts_rank import StepResult
from zerocts_torch.subject import CLIP_EPSILON

from .planting import FSDP, fault


@fault(*FSDP)
def replicas_not_added(subject):
    """Each replica keeps the mean of its own ranks."""
    set_sync = subject.model.set_requires_gradient_sync

    def sync_within_a_replica(requires):
        set_sync(requires)
        subject.model.set_requires_all_reduce(False)

    subject.model.set_requires_gradient_sync = sync_within_a_replica


@fault(*FSDP)
def sum_over_replicas(subject):
    """Gradients are divided by the ranks of a replica alone."""
    subject.model.register_forward_hook(lambda module, inputs, loss: loss * subject.case.replicas)


@fault(*FSDP)
def norm_counts_replicas(subject):
    """The squares of all ranks are added: each element counts once per replica."""

    def clip(tensors):
        gradients = [tensor.grad.to_local() for tensor in tensors if tensor.grad is not None]
        squares = torch.stack([torch.zeros(()), *(gradient.float().square().sum() for gradient in gradients)]).sum()
        dist.all_reduce(squares)
        norm = squares.sqrt()
        coefficient = min(1.0, subject.case.max_norm / (norm.item() + CLIP_EPSILON))
        for gradient in gradients:
            gradient.mul_(coefficient)
        return StepResult(float(norm), float(numpy.float32(coefficient)))

    if subject.case.max_norm > 0 and subject.case.clip_norm == "2":
        subject.clip = clip


@fault(*FSDP)
def first_replica_alone_loads(subject):
    """The other replicas begin anew."""
    if subject.host.rank >= subject.host.world_size // subject.case.replicas:
        subject.optimizer.load_state_dict = lambda state_dict: subject.optimizer.state.clear()
