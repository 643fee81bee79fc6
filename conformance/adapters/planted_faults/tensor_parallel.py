"""What is wrong with torch's parallelize_module. Every MLP that is drawn begins with a column- and a row-parallel
layer.
"""

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor, Replicate

from .gradients import sum_for_mean_fsdp, sum_over_micro_batches
from .parameters import stale_unshard, state_lost
from .planting import fault

TP = ("torch-tp", "torch-tp-fsdp2")

for shared in (state_lost, sum_over_micro_batches):
    fault(*TP)(shared)
fault("torch-tp-fsdp2")(stale_unshard)
fault("torch-tp-fsdp2", name="sum_for_mean")(sum_for_mean_fsdp)


@fault("torch-tp")
def sum_for_mean(subject):
    def add(tensors):
        for tensor in tensors:
            dist.all_reduce(tensor.grad.to_local(), group=subject.mesh.get_group("data"))

    subject.add_over_data_ranks = lambda: add(subject.tensors())


# --- layers


def column_of(subject):
    return subject.model.units[1]


def row_of(subject):
    return subject.model.units[2]


def replace_first(hooks, hook):
    """That of parallelize_module, which came first."""
    hooks[min(hooks)] = hook


@fault(*TP)
def bias_on_every_rank(subject):
    """A row-parallel layer's bias is added by each tensor rank, before their sum."""
    others = subject.case.tensor - 1
    row_of(subject).register_forward_hook(
        lambda module, inputs, output: output + others * module.bias.detach().full_tensor()
    )


@fault(*TP)
def partial_sums_returned(subject):
    """A row-parallel layer returns the sum over what this tensor rank has."""
    replace_first(row_of(subject)._forward_hooks, lambda module, inputs, output: output.to_local())


@fault(*TP)
def same_part_on_all_ranks(subject):
    """Every rank begins with the first rows of a layer."""
    weight = column_of(subject).weight.detach()
    part = weight.to_local()
    part.copy_(weight.full_tensor()[: part.shape[0]])


class WithoutSumInBackward(torch.autograd.Function):
    @staticmethod
    def forward(context, values, mesh):
        return DTensor.from_local(values, mesh, [Replicate()], run_check=False)

    @staticmethod
    def backward(context, gradient):
        return gradient.to_local(), None


@fault(*TP)
def embedding_gradient_not_added(subject):
    """What a column-parallel layer passes back is its tensor rank's own sum, so embeddings drift apart."""
    mesh = subject.mesh["tensor"]
    replace_first(
        column_of(subject)._forward_pre_hooks, lambda module, inputs: (WithoutSumInBackward.apply(inputs[0], mesh),)
    )


# --- norm and clipping


def healthy_clip(subject, tensors):
    return type(subject).clip(subject, tensors)


def with_gradient(tensor, gradient):
    """A tensor of its own, for the norm."""
    twin = tensor.detach().clone()
    twin.grad = gradient
    return twin


@fault(*TP)
def norm_of_one_rank(subject):
    """Each rank's norm is that of the parts that it has."""

    def clip(tensors):
        parts = [with_gradient(tensor.to_local(), tensor.grad.to_local()) for tensor in tensors]
        return healthy_clip(subject, [part for part in parts if part.numel()])

    subject.clip = clip


@fault(*TP)
def replicated_counted_by_all(subject):
    """What all tensor ranks have is counted by each of them."""

    def clip(tensors):
        replicated = [tensor for tensor in tensors if tensor.placements[-1].is_replicate()]
        again = [
            with_gradient(tensor, tensor.grad.clone()) for tensor in replicated for _ in range(subject.case.tensor - 1)
        ]
        return healthy_clip(subject, [*tensors, *again])

    subject.clip = clip


@fault(*TP)
def clip_on_first_tensor_rank(subject):
    """All know the coefficient; the first tensor rank alone multiplies by it."""

    def clip(tensors):
        before = [tensor.grad.to_local().clone() for tensor in tensors]
        result = healthy_clip(subject, tensors)
        if subject.host.rank % subject.case.tensor:
            for tensor, gradient in zip(tensors, before):
                tensor.grad.to_local().copy_(gradient)
        return result

    subject.clip = clip
