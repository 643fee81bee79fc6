"""What is wrong with parameters: their update and gather, the state behind them, and what forward and backward see."""

import contextlib
import math

import torch

from .planting import FSDP, FSDP1, REPLICATED, TENSORS, fault, is_last_rank


@fault(*TENSORS)
def stale_gather(subject):
    """Owners update, and the others are not told."""
    for broadcast in ("_sync_params", "_broadcast_params"):
        if hasattr(subject.optimizer, broadcast):
            setattr(subject.optimizer, broadcast, lambda: None)


def local_optimizer(subject):
    return getattr(subject.optimizer, "optim", subject.optimizer)


@fault(*TENSORS, *FSDP, *FSDP1)
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


@fault(*TENSORS, *FSDP, *FSDP1)
def state_lost(subject):
    """The optimizer begins anew at every step."""
    local_optimizer(subject).register_step_post_hook(lambda optimizer, *_: optimizer.state.clear())


@fault(*TENSORS, *REPLICATED, *FSDP1)
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
    """Products are made in bfloat16, though the case asks for fp32."""
    subject.model.forward = torch.autocast("cpu", torch.bfloat16)(subject.model.forward)
