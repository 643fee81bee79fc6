"""Faults planted into frameworks from outside, by --option fault=NAME: each is one that a real ZeRO has had.
../frameworks.json says which clause kills it.
"""

import contextlib
import math

import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import fp16_compress_hook
from torch.utils._python_dispatch import _disable_current_modes

DDP = ("torch-zero1", "fairscale-oss")
TENSORS = (*DDP, "fairscale-sharded-ddp")
REPLICATED = ("deepspeed-0",)
FSDP = ("torch-fsdp2", "torch-fsdp2-noreshard")
PLANTERS = {}  # (subject, fault): plants it into a subject that was just built


def fault(*subjects, name=None):
    def register(plant):
        PLANTERS.update({(subject, name or plant.__name__): plant for subject in subjects})
        return plant

    return register


def names_of(subject):
    return sorted(name for of, name in PLANTERS if of == subject)


def plant(subject, name):
    PLANTERS[subject.name, name](subject)


def is_last_rank(subject):
    return subject.host.rank == subject.host.world_size - 1


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


@fault(*TENSORS, *FSDP)
def sum_over_micro_batches(subject):
    """Nobody divides by the number of micro-batches."""
    subject.model.register_forward_hook(lambda module, inputs, loss: loss * subject.case.micro_batches)


# --- traffic


def reduce_four_times(subject, unseen):
    """`unseen`: a context in which nobody counts three of them."""

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
    """Likewise, and what it reports is what reducing once moves."""
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


# --- update and gather


@fault(*TENSORS)
def stale_gather(subject):
    """Owners update, nobody tells the others."""
    for broadcast in ("_sync_params", "_broadcast_params"):
        if hasattr(subject.optimizer, broadcast):
            setattr(subject.optimizer, broadcast, lambda: None)


def local_optimizer(subject):
    return getattr(subject.optimizer, "optim", subject.optimizer)


@fault(*TENSORS, *FSDP)
def last_rank_does_not_update(subject):
    if is_last_rank(subject):
        local_optimizer(subject).step = lambda *_, **__: None


@fault(*TENSORS)
def shards_nothing(subject):
    """Every rank keeps the state of everything, updates everything, and reports its share."""
    of_share = subject.optimizer.optim
    everything = type(of_share)(subject.optimizer.param_groups)
    share = [tensor for group in of_share.param_groups for tensor in group["params"]]
    everything.register_step_post_hook(
        lambda *_: of_share.state.update({tensor: everything.state.get(tensor, {}) for tensor in share})
    )
    subject.optimizer.step = everything.step


@fault(*TENSORS, *FSDP)
def state_lost(subject):
    """The optimizer begins anew at every step."""
    local_optimizer(subject).register_step_post_hook(lambda optimizer, *_: optimizer.state.clear())


@fault(*TENSORS, *REPLICATED)
def state_not_loaded(subject):
    """A load brings the parameters back, and the optimizer begins anew."""
    subject.optimizer.load_state_dict = lambda state_dict: None


@fault(*FSDP, name="state_not_loaded")
def state_not_loaded_fsdp(subject):
    """A checkpoint is loaded in place, so the state is there before it is set."""
    subject.optimizer.load_state_dict = lambda state_dict: subject.optimizer.state.clear()


@fault(*FSDP)
def fused_optimizer(subject):
    """Adam's kernel for CPUs rounds the elements behind the last full vector of a shard otherwise. SGD's takes no
    sharded tensors.
    """
    for group in subject.optimizer.param_groups:
        group["fused"] = subject.case.optimizer != "sgd"


@fault(*TENSORS, *REPLICATED)
def new_ranks_load_no_state(subject):
    """A rank that was not there when the checkpoint was saved finds no state of its own."""
    if subject.case.loads_only and subject.host.rank >= subject.case.checkpoint["other_world_size"]:
        subject.optimizer.load_state_dict = lambda state_dict: None


@fault(*FSDP)
def remainder_not_loaded(subject):
    """The number of rows is taken for that of the first rank which saved, times their number: behind these the state is
    zero.
    """
    if not subject.case.loads_only:
        return
    load, savers = subject.optimizer.load_state_dict, subject.case.checkpoint["other_world_size"]

    def load_equal_shares(state_dict):
        load(state_dict)
        for p, tensor in enumerate(subject.tensors()):
            for name in ["exp_avg", "momentum_buffer"]:
                if subject.case.has_state(p) and name in subject.optimizer.state[tensor]:
                    loaded = tensor.shape[0] // savers * savers * math.prod(tensor.shape[1:])
                    begin = subject.owned(p)[0][0] if subject.owned(p) else 0
                    subject.optimizer.state[tensor][name].to_local().view(-1)[max(0, loaded - begin) :].zero_()

    subject.optimizer.load_state_dict = load_equal_shares


@fault(*TENSORS)
def schedule_lost(subject):
    """New hyper-parameters do not reach the optimizer of the shard."""
    subject.optimizer._sync_param_groups = lambda *_: None


# --- what forward and backward compute with: gradients of a linear loss do not depend on it, those of a quadratic one
# and of a model do


@contextlib.contextmanager
def holding(subject, values):
    """The shards of this rank have other values meanwhile."""
    shards = [tensor.to_local().detach() for tensor in subject.parameters()]
    now = [shard.clone() for shard in shards]
    for shard, value in zip(shards, values):
        shard.copy_(value)
    yield
    for shard, value in zip(shards, now):
        shard.copy_(value)


def gatherer_of_the_step_before(subject):
    """A hook that gathers every unit from what the shards held before the last step; FSDP2 does not gather again what
    is gathered.
    """
    before = []

    def keep(*_):
        before[:] = [tensor.to_local().detach().clone() for tensor in subject.parameters()]

    def gather(*_):
        if before:
            with holding(subject, before):
                for unit in subject.model.units:
                    unit.unshard()

    subject.optimizer.register_step_pre_hook(keep)
    return gather


@fault(*FSDP)
def stale_unshard(subject):
    """Forward sees the parameters of the step before."""
    subject.model.register_forward_pre_hook(gatherer_of_the_step_before(subject), prepend=True)


@fault("torch-fsdp2")
def stale_regather(subject):
    """Backward sees the parameters of the step before; forward those of now."""
    gather = gatherer_of_the_step_before(subject)
    subject.model.register_forward_hook(lambda *_: gather())


@fault(*TENSORS, *FSDP)
def silent_autocast(subject):
    """Products are made in bfloat16, though nobody asked for it."""
    subject.model.forward = torch.autocast("cpu", torch.bfloat16)(subject.model.forward)
