"""What is wrong with gradients, their traffic and their clipping."""

import contextlib

import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import fp16_compress_hook
from torch.utils._python_dispatch import _disable_current_modes

from zerocts_torch.subject import TorchSubject

from .planting import DDP, FSDP, FSDP1, TENSORS, fault


def done(tensor):
    future = torch.futures.Future()
    future.set_result(tensor)
    return future


def summed(tensor):
    return dist.all_reduce(tensor, async_op=True).get_future().then(lambda future: future.value()[0])


# --- gradients


@fault(*DDP)
def sum_for_mean(subject):
    subject.model.register_comm_hook(None, lambda _, bucket: summed(bucket.buffer()))


@fault(*DDP)
def skipped_bucket(subject):
    """The last bucket of a backward pass keeps the rank's own gradients."""
    ranks = subject.host.world_size
    subject.model.register_comm_hook(
        None, lambda _, bucket: done(bucket.buffer()) if bucket.is_last() else summed(bucket.buffer().div_(ranks))
    )


@fault(*DDP)
def removed_hook(subject):
    """One parameter of a bucket is not reduced."""

    def reduce(_, bucket):
        mean = bucket.buffer().div_(subject.host.world_size)
        own = bucket.gradients()[0].clone()

        def put_back(future):
            bucket.gradients()[0].copy_(own)
            return future.value()

        return summed(mean).then(put_back)

    subject.model.register_comm_hook(None, reduce)


@fault(*DDP)
def never_reduced(subject):
    subject.model.require_backward_grad_sync = False


@fault(*DDP)
def fp16_on_the_wire(subject):
    """Gradients travel, and are added, in half precision."""
    subject.model.register_comm_hook(None, fp16_compress_hook)


@fault(*DDP)
def order_by_chance(subject):
    """Ranks are added in another order each time: exact inputs cannot show it."""

    def reduce(_, bucket):
        ranks = subject.host.world_size
        addends = [torch.empty_like(bucket.buffer()) for _ in range(ranks)]
        dist.all_gather(addends, bucket.buffer())
        order = torch.randperm(ranks)
        dist.broadcast(order, 0)
        return done(sum(addends[rank] for rank in order) / ranks)

    subject.model.register_comm_hook(None, reduce)


@fault(*FSDP, name="sum_for_mean")
def sum_for_mean_fsdp(subject):
    for unit in [*subject.model.units, subject.model]:
        unit.set_force_sum_reduction_for_comms(True)
        unit.set_gradient_divide_factor(1.0)


@fault(*FSDP1, name="sum_for_mean")
def sum_for_mean_fsdp1(subject):
    subject.model.register_forward_hook(lambda module, inputs, loss: loss * subject.host.world_size)


@fault(*FSDP)
def one_unit_never_reduced(subject):
    first = subject.model.units[0]

    def sync_all_but_first(requires):
        type(subject.model).set_requires_gradient_sync(subject.model, requires)
        first.set_requires_gradient_sync(False)

    subject.model.set_requires_gradient_sync = sync_all_but_first


@fault(*FSDP)
def no_sync_does_nothing(subject):
    """Every micro-batch is reduced; the bits are the same."""
    subject.model.set_requires_gradient_sync = lambda requires: None


@fault(*TENSORS, *FSDP, *FSDP1)
def sum_over_micro_batches(subject):
    """Gradients are not divided by the number of micro-batches."""
    subject.model.register_forward_hook(lambda module, inputs, loss: loss * subject.case.micro_batches)


# --- traffic


def reduce_four_times(subject, unseen):
    """`unseen`: a context in which three of them are not counted."""

    def reduce(_, bucket):
        with unseen():
            for _ in range(3):
                dist.all_reduce(bucket.buffer().clone())
        return summed(bucket.buffer().div_(subject.host.world_size))

    subject.model.register_comm_hook(None, reduce)


@fault(*DDP)
def reduces_four_times(subject):
    """The bits are the same."""
    reduce_four_times(subject, contextlib.nullcontext)


@fault(*DDP)
def reduces_four_times_in_secret(subject):
    """As above, and what it reports is what reducing once moves."""
    reduce_four_times(subject, _disable_current_modes)


# --- clipping


@fault(*DDP)
def clip_per_rank(subject):
    """The norm of the tensors that the rank owns, for all of them."""
    owned = [tensor for p, tensor in enumerate(subject.tensors) if subject.owned(p)]
    subject.clip = lambda tensors: type(subject).clip(subject, owned)


@fault(*FSDP)
def clip_per_shard(subject):
    def clip(tensors):
        shards = []
        for tensor in tensors:
            shards.append(tensor.to_local().detach().clone())
            shards[-1].grad = tensor.grad.to_local()
        return type(subject).clip(subject, shards)

    subject.clip = clip


@fault(*FSDP1, name="clip_per_shard")
def clip_per_shard_fsdp1(subject):
    """torch's own function, which gives each rank the norm of its shards."""
    subject.clip_by = lambda *arguments: TorchSubject.clip_by(subject, *arguments)
