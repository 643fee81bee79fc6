"""Faults below a collective's caller: of the transport, and of how parameters were cut for it."""

import functools

import torch
import torch.distributed as dist
from fault import Fault


class Transport(Fault):
    """Kernels of operators c10d:: on the key CPU, as those of the backend: below those of a witness."""

    ops, step = (), 0

    def before_wrap(self, model):
        self.library = torch.library.Library("c10d", "IMPL")
        for name in self.ops:
            self.library.impl(name, functools.partial(self.call, name), "CPU")
        return model

    def after_step(self, model, optimizer, step, rank):
        self.step = step + 1

    @torch.no_grad()
    def call(self, name, *args, **kwargs):
        if self.is_due():
            self.before(args)
        work = CALLS[name](*args)
        work.wait()
        if self.is_due():
            self.after(args)
        return args[0], work.boxed()

    def is_due(self):
        return self.step == 3

    def before(self, args):
        """`args` of the operator, before its ranks are waited for."""

    def after(self, args):
        """Once its result is there."""


def backend_of(group):
    return dist.ProcessGroup.unbox(group)._get_backend(torch.device("cpu"))


def gather(got, sent, group, *rest):
    return backend_of(group)._allgather_base(got, sent, torch._C._distributed_c10d.AllgatherOptions())


def reduce_scatter(got, sent, group, *rest):
    options = dist.ReduceScatterOptions()
    options.reduceOp = dist.ReduceOp.AVG  # FSDP2's; Python cannot read what was asked for
    return backend_of(group)._reduce_scatter_base(got, sent, options)


def broadcast(tensors, group, root, *rest):
    options = dist.BroadcastOptions()
    options.rootRank = root
    return backend_of(group).broadcast(tensors, options)


def reduce(tensors, group, *rest):
    return backend_of(group).allreduce(tensors, dist.AllreduceOptions())  # DDP's sum


CALLS = {
    "_allgather_base_": gather,
    "_reduce_scatter_base_": reduce_scatter,
    "broadcast_": broadcast,
    "allreduce_": reduce,
}


class DamagedGather(Transport):
    ops = ("_allgather_base_",)

    def after(self, args):
        if dist.get_rank() == 1:
            args[0].view(-1)[-1] += 1


class DamagedBroadcast(Transport):
    """While DDP is made."""

    ops = ("broadcast_",)

    def is_due(self):
        return self.step == 0

    def after(self, args):
        if dist.get_rank() == 1 and args[0][0].is_floating_point():
            args[0][0].view(-1)[-1] += 1


class ContributionLeftOut(Transport):
    ops = ("allreduce_",)

    def before(self, args):
        if dist.get_rank() == 2:
            args[0][0].zero_()


class AddedInPlaceOfAveraged(Transport):
    ops = ("_reduce_scatter_base_",)

    def before(self, args):
        args[1].mul_(dist.get_world_size())


class CutTooShort(Fault):
    """FSDP2 gives rank 1 an element less of what has 97 rows."""

    def before_wrap(self, model):
        from torch.distributed.fsdp._fully_shard import _fsdp_param

        original = _fsdp_param._chunk_with_empty

        def cut(tensor, *args, **kwargs):
            chunks = original(tensor, *args, **kwargs)
            if dist.get_rank() == 1 and tensor.shape[0] == 97:
                chunks[1] = chunks[1][:-1]
            return chunks

        _fsdp_param._chunk_with_empty = cut
        return model


FAULTS = {
    "damaged-gather": DamagedGather,
    "damaged-broadcast": DamagedBroadcast,
    "contribution-left-out": ContributionLeftOut,
    "added-not-averaged": AddedInPlaceOfAveraged,
    "cut-too-short": CutTooShort,
}
