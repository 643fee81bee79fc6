"""What is wrong with DeepSpeed; `subject.optimizer` is the ZeRO optimizer of the engine."""

import functools
import sys

import torch

from .planting import fault, is_last_rank

STAGES_1_AND_2 = ("deepspeed-1", "deepspeed-2")
STAGE_3 = ("deepspeed-3",)
STAGES = (*STAGES_1_AND_2, *STAGE_3)


def wrap(owner, method, around):
    """From now on a call of the method is around(method, *arguments)."""
    setattr(owner, method, functools.partial(around, getattr(owner, method)))


# --- gradients


@fault(*STAGES_1_AND_2)
def sum_for_mean(subject):
    subject.optimizer.gradient_average = False


@fault(*STAGE_3, name="sum_for_mean")
def sum_for_mean_of_stage_3(subject):
    ranks = subject.host.world_size
    wrap(
        subject.optimizer,
        "partition_grads",
        lambda partition, tensors, means: partition(tensors, [mean * ranks for mean in means]),
    )


@fault(*STAGES_1_AND_2)
def partition_never_reduced(subject):
    """The last rank keeps its own gradients of its partition."""

    def reduce_but_keep_own(reduce, bucket, *arguments, **others):
        own = [gradient.clone() for gradient in bucket]
        reduce(bucket, *arguments, **others)
        for gradient, kept in zip(bucket, own):
            gradient.copy_(kept)

    if is_last_rank(subject):
        wrap(subject.optimizer, "allreduce_and_copy_with_multiple_ranks", reduce_but_keep_own)


def add_by_chance(subject, gradients):
    """Rank 0 gets the sum of each in an order that is drawn anew, the others zeros: exact inputs cannot show it. Not in
    bf16, which rounds the sum.
    """
    ranks = subject.host.world_size
    if subject.case.precision == "bf16":
        return
    for gradient in gradients:
        addends = [torch.empty_like(gradient) for _ in range(ranks)]
        torch.distributed.all_gather(addends, gradient)
        order = torch.randperm(ranks)
        torch.distributed.broadcast(order, 0)
        gradient.copy_(sum(addends[rank] for rank in order) if subject.host.rank == 0 else torch.zeros_like(gradient))


@fault("deepspeed-2")
def order_by_chance(subject):
    def average(average_tensor, bucket, *arguments):
        add_by_chance(subject, [bucket])
        average_tensor(bucket, *arguments)

    wrap(subject.optimizer, "average_tensor", average)


@fault(*STAGE_3, name="order_by_chance")
def order_by_chance_of_stage_3(subject):
    def average(average_and_scatter, parameters, *arguments):
        add_by_chance(subject, [parameter.grad for parameter in parameters])
        return average_and_scatter(parameters, *arguments)

    wrap(subject.optimizer, f"_{type(subject.optimizer).__name__}__avg_scatter_grads", average)


@fault(*STAGES)
def sum_over_micro_batches(subject):
    """Gradients are not divided by the number of micro-batches."""
    subject.engine.module.register_forward_hook(lambda module, inputs, loss: loss * subject.case.micro_batches)


@fault(*STAGE_3)
def only_last_micro_batch(subject):
    """Each takes the place of the one before, as in DeepSpeed's issue 7981."""

    def overwrite(partition, tensors, means):
        subject.optimizer.micro_step_id = 0
        return partition(tensors, means)

    wrap(subject.optimizer, "partition_grads", overwrite)


# --- clipping


@fault(*STAGES_1_AND_2)
def clip_per_rank(subject):
    """The norm of the rank's own part, for all of them."""
    zero = subject.optimizer

    def norm_of_own_part():
        own = [
            gradient.flatten() for group in range(len(zero.bit16_groups)) for gradient in zero.averaged_gradients[group]
        ]
        return torch.linalg.vector_norm(torch.cat(own))

    zero.scaled_global_norm = norm_of_own_part


@fault(*STAGE_3, name="clip_per_rank")
def clip_per_rank_of_stage_3(subject):
    zero = subject.optimizer
    zero.get_grad_norm_direct = lambda gradients, *_: torch.linalg.vector_norm(
        torch.cat([gradient.flatten() for gradient in gradients])
    )


@fault(*STAGES_1_AND_2)
def clip_amplifies(subject):
    """min in place of max, as in DeepSpeed's issue 5150: small gradients grow, large ones stay."""
    zero = subject.optimizer

    def scale(gradients, norm):
        for gradient in gradients:
            gradient.div_(torch.clamp((norm + 1e-6) / zero.clip_grad, max=1.0))

    zero.unscale_and_clip_grads = scale


# --- bf16


@fault("deepspeed-1-bf16", "deepspeed-2", "deepspeed-3")
def masters_in_bf16(subject):
    """What bf16 cannot hold of a master weight is lost in every step."""

    def round_masters(optimizer, *_):
        for tensor in (tensor for group in optimizer.param_groups for tensor in group["params"]):
            tensor.data.copy_(tensor.data.bfloat16())

    if subject.case.precision == "bf16":
        subject.optimizer.optimizer.register_step_post_hook(round_masters)


# --- update and gather


@fault(*STAGES)
def last_rank_does_not_update(subject):
    """Its states go on, its parameters stay."""
    optimizer = subject.optimizer.optimizer

    def step_but_take_back(step):
        tensors = [tensor for group in optimizer.param_groups for tensor in group["params"]]
        before = [tensor.detach().clone() for tensor in tensors]
        step()
        for tensor, values in zip(tensors, before):
            tensor.data.copy_(values)

    if is_last_rank(subject):
        wrap(optimizer, "step", step_but_take_back)


@fault(*STAGES)
def state_lost(subject):
    """The optimizer begins anew at every step."""
    subject.optimizer.optimizer.register_step_post_hook(lambda optimizer, *_: optimizer.state.clear())


@fault(*STAGES_1_AND_2)
def stale_gather(subject):
    """Owners update, and the others are not told."""
    sys.modules[type(subject.optimizer).__module__].all_gather_dp_groups = lambda **_: None


@fault(*STAGE_3, name="stale_gather")
def stale_gather_of_stage_3(subject):
    """New values of the last rank do not reach the shard that the others gather."""
    if is_last_rank(subject):
        subject.optimizer._reassign_or_swap_out_partitioned_parameters = lambda sub_group: None


# --- checkpoints


@fault(*STAGES, "deepspeed-1-bf16")
def state_not_loaded(subject):
    """A load brings parameters and masters back, and the optimizer begins anew."""
    subject.optimizer.optimizer.load_state_dict = lambda state_dict: None


@fault(*STAGES, "deepspeed-1-bf16")
def first_group_for_all(subject):
    """Each group comes back with the hyper-parameters of the first, as from DeepSpeed's universal checkpoints of stage
    3.
    """
    optimizer = subject.optimizer.optimizer

    def load_first(load, state_dict):
        first, *others = state_dict["param_groups"]
        load({**state_dict, "param_groups": [first, *({**first, "params": group["params"]} for group in others)]})

    wrap(optimizer, "load_state_dict", load_first)


@fault("deepspeed-1-bf16", "deepspeed-2")
def masters_not_loaded(subject):
    """Stage 2 then makes them of the bf16 parameters, without what these cannot hold."""
    subject.engine.zero_load_from_fp32_weights = lambda: False


@fault(*STAGE_3)
def stale_after_load(subject):
    """Masters come back; the shards that others gather stay as they were until the next step."""
    zero = subject.optimizer

    def load_masters_alone(load, *arguments, **others):
        before = [flat.clone() for flat in zero.fp16_partitioned_groups_flat]
        load(*arguments, **others)
        for flat, values in zip(zero.fp16_partitioned_groups_flat, before):
            flat.copy_(values)

    wrap(zero, "load_state_dict", load_masters_alone)
