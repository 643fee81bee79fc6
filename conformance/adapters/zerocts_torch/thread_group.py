"""A process group of torch whose ranks are threads of one process. It adds in the order of the ranks, one after the
other, rounded to the tensors' type after each addition.

torch's own test group (multi_threaded_pg) lends the part that keeps each thread's groups apart; its collectives copy
from each rank to each rank, which takes minutes at 512.
"""

import datetime
import itertools
import threading

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import _create_work_from_future, _set_thread_isolation_mode
from torch.distributed import ReduceOp
from torch.futures import Future
from torch.testing._internal.distributed.multi_threaded_pg import ThreadLocalWorld

from zerocts_rank.rank_threads import TURN

from . import traffic
from .process_group import LEFT

BACKEND = "zerocts_threads"
FOLDS = {
    ReduceOp.SUM: torch.Tensor.add_,
    ReduceOp.AVG: torch.Tensor.add_,
    ReduceOp.PRODUCT: torch.Tensor.mul_,
    ReduceOp.MIN: lambda whole, more: torch.minimum(whole, more, out=whole),
    ReduceOp.MAX: lambda whole, more: torch.maximum(whole, more, out=whole),
    ReduceOp.BAND: torch.Tensor.bitwise_and_,
    ReduceOp.BOR: torch.Tensor.bitwise_or_,
    ReduceOp.BXOR: torch.Tensor.bitwise_xor_,
}
MOST_NAMED = 8  # ranks in a sentence
_of_thread = threading.local()


class Meeting:
    """Where the ranks of a group meet, one collective after the other."""

    def __init__(self, size, timeout_s):
        self._size, self._timeout_s = size, timeout_s
        self._changed = threading.Condition()
        self._given, self._turn, self._outcome, self._broken = {}, 0, None, ""

    def join(self, rank, operation, given, work):
        """The last rank to come does `work(given of each rank)` for all."""
        with TURN.given_away(), self._changed:
            if self._broken:
                raise RuntimeError(f"{operation}: {self._broken}")
            turn = self._turn
            self._given[rank] = operation, given
            if len(self._given) == self._size:
                self._outcome = self._outcome_of(work)
                self._given, self._turn = {}, turn + 1
                self._changed.notify_all()
            elif not self._changed.wait_for(lambda: self._turn > turn or self._broken, self._timeout_s):
                missing = [other for other in range(self._size) if other not in self._given]
                raise RuntimeError(
                    f"{operation}: timed out after {self._timeout_s:g} s; {_named(missing)} did not come"
                )
            elif self._turn == turn:
                raise RuntimeError(f"{operation}: {self._broken}")
            if self._outcome:
                raise RuntimeError(self._outcome)

    def _outcome_of(self, work):
        """ "": it went well."""
        first, _ = self._given[0]
        for rank, (operation, _) in sorted(self._given.items()):
            if operation != first:
                return f"rank {rank} of the group calls {operation}, where rank 0 calls {first}"
        try:
            with torch.no_grad():
                work([self._given[rank][1] for rank in range(self._size)])
        except Exception as failed:
            return f"{first}: {type(failed).__name__}: {failed}"
        return ""

    def end(self, why):
        with self._changed:
            self._broken = why
            self._changed.notify_all()


def _named(ranks):
    more = f" and {len(ranks) - MOST_NAMED} more" if len(ranks) > MOST_NAMED else ""
    return ("rank " if len(ranks) == 1 else "ranks ") + ", ".join(map(str, ranks[:MOST_NAMED])) + more


class Meetings:
    """Those of all groups of one world of ranks."""

    _worlds, _numbers, _lock = {}, itertools.count(), threading.Lock()

    def __init__(self):
        self.store = dist.HashStore()
        self._made, self._broken = {}, ""

    @classmethod
    def new_world(cls):
        """Its number, for all its ranks to join."""
        with cls._lock:
            number = next(cls._numbers)
            cls._worlds = {number: cls()}  # no rank comes back to an earlier one
            return number

    @classmethod
    def of_world(cls, number):
        with cls._lock:
            return cls._worlds[number]

    def of_group(self, name, size, timeout_s):
        with self._lock:
            meeting = self._made.setdefault(name, Meeting(size, timeout_s))
        if self._broken:
            meeting.end(self._broken)
        return meeting

    def end(self, why):
        """Who waits in a collective, or comes to one, fails with this sentence."""
        with self._lock:
            self._broken = self._broken or why
            made = list(self._made.values())
        for meeting in made:
            meeting.end(self._broken)


def _done(result):
    future = Future()
    future.set_result(result)
    return _create_work_from_future(future)


def _shapes(tensors):
    return ", ".join(f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}" for tensor in tensors)


def _kind_of(options):
    """The operation of a reduction."""
    operation = options.reduceOp if options else ReduceOp.SUM
    return operation.op if hasattr(operation, "op") else operation


def _fold(kind, tensors):
    if kind not in FOLDS:
        raise NotImplementedError(f"{kind} between ranks that are threads")
    whole = tensors[0].detach().clone()
    for more in tensors[1:]:
        FOLDS[kind](whole, more.detach())
    return whole.div_(len(tensors)) if kind == ReduceOp.AVG else whole


def _fill(output, values):
    output.detach().copy_(values.reshape(output.shape))


class ThreadGroup(dist.ProcessGroup):
    """Each collective takes what torch's own of that name takes."""

    def __init__(self, rank, size, meeting):
        super().__init__(rank, size)
        self._rank, self._size, self._meeting = rank, size, meeting

    def _join(self, operation, moved, given, work):
        """`operation`: in words, the same on each rank. `moved`: torch's operator, and its arguments."""
        traffic.count(*moved)
        self._meeting.join(self._rank, operation, given, work)
        return _done(given)

    def allreduce(self, tensors, opts=None):
        kind = _kind_of(opts)

        def work(given):
            for place in range(len(tensors)):
                whole = _fold(kind, [of_rank[place] for of_rank in given])
                for of_rank in given:
                    _fill(of_rank[place], whole)

        return self._join(f"allreduce({_shapes(tensors)}, {kind.name})", ("allreduce_", tensors, self), tensors, work)

    allreduce_coalesced = allreduce

    def all_gather_single(self, output, own, opts=None):
        def work(given):
            whole = torch.cat([of_rank[1].detach().reshape(-1) for of_rank in given])
            for of_rank in given:
                _fill(of_rank[0], whole)

        return self._join(f"all_gather({_shapes([own])})", ("_allgather_base_", output, own, self), (output, own), work)

    def allgather(self, outputs, owns, opts=None):
        """Tensors of the ranks may differ in size."""

        def work(given):
            for place in range(len(owns)):
                for of_rank in given:
                    for output, (_, from_rank) in zip(of_rank[0][place], given):
                        _fill(output, from_rank[place].detach())

        return self._join(
            f"all_gather of {len(owns)} lists", ("_allgather_base_", outputs, owns, self), (outputs, owns), work
        )

    def all_gather_single_coalesced(self, outputs, owns, opts=None):
        for output, own in zip(outputs, owns):
            self.all_gather_single(output, own)
        return _done(outputs)

    def reduce_scatter_single(self, output, whole, opts=None):
        kind = _kind_of(opts)

        def work(given):
            parts = _fold(kind, [of_rank[1].reshape(-1) for of_rank in given]).chunk(self._size)
            for of_rank, part in zip(given, parts):
                _fill(of_rank[0], part)

        return self._join(
            f"reduce_scatter({_shapes([whole])}, {kind.name})",
            ("_reduce_scatter_base_", output, whole, self),
            (output, whole),
            work,
        )

    def reduce_scatter(self, outputs, wholes, opts=None):
        kind = _kind_of(opts)

        def work(given):
            for place in range(len(outputs)):
                for rank, of_rank in enumerate(given):
                    _fill(of_rank[0][place], _fold(kind, [each[1][place][rank] for each in given]))

        return self._join(
            f"reduce_scatter of {len(outputs)} lists, {kind.name}",
            ("_reduce_scatter_base_", outputs, wholes, self),
            (outputs, wholes),
            work,
        )

    def reduce_scatter_single_coalesced(self, outputs, wholes, opts=None):
        for output, whole in zip(outputs, wholes):
            self.reduce_scatter_single(output, whole, opts)
        return _done(outputs)

    def broadcast(self, tensors, opts=None):
        root = opts.rootRank if opts else 0

        def work(given):
            for rank, of_rank in enumerate(given):
                for output, value in zip(of_rank, given[root]) if rank != root else ():
                    _fill(output, value.detach())

        return self._join(
            f"broadcast({_shapes(tensors)} from {root})", ("broadcast_", tensors, self, root), tensors, work
        )

    def scatter(self, outputs, wholes, opts=None):
        root = opts.rootRank if opts else 0

        def work(given):
            for of_rank, part in zip(given, given[root][1][0]):
                _fill(of_rank[0][0], part.detach())

        return self._join(f"scatter(from {root})", ("scatter_",), (outputs, wholes), work)

    def gather(self, outputs, owns, opts=None):
        root = opts.rootRank if opts else 0

        def work(given):
            for output, (_, own) in zip(given[root][0][0], given):
                _fill(output, own[0].detach())

        return self._join(f"gather(to {root})", ("gather_",), (outputs, owns), work)

    def alltoall(self, outputs, owns, opts=None):
        def work(given):
            for rank, (of_rank, _) in enumerate(given):
                for output, (_, parts) in zip(of_rank, given):
                    _fill(output, parts[rank].detach())

        return self._join("alltoall", ("alltoall_",), (outputs, owns), work)

    def all_to_all_single(self, output, own, output_sizes, own_sizes, opts=None):
        def split(tensor, sizes):
            return tensor.split(list(sizes)) if sizes is not None and len(sizes) else tensor.chunk(self._size)

        return self.alltoall(split(output, output_sizes), split(own, own_sizes))

    def barrier(self, opts=None):
        return self._join("barrier", ("barrier",), [], lambda given: None)

    # Their names before torch 2.13.
    _allgather_base, _reduce_scatter_base = all_gather_single, reduce_scatter_single
    allgather_into_tensor_coalesced = all_gather_single_coalesced
    reduce_scatter_tensor_coalesced = reduce_scatter_single_coalesced
    alltoall_base = all_to_all_single

    def size(self):
        return self._size

    def getBackendName(self):  # noqa: N802  torch's
        return BACKEND

    @property
    def group_name(self):
        return dist.distributed_c10d._world.pg_names[self]


def _new_group(options, _):
    name = f"{options.group_id} of {options.global_ranks_in_group}"
    meeting = _of_thread.meetings.of_group(name, options.group_size, options.timeout.total_seconds())
    return ThreadGroup(options.group_rank, options.group_size, meeting)


def _install():
    """Groups are a thread's own from here on."""
    dist.distributed_c10d._world = ThreadLocalWorld()
    _set_thread_isolation_mode(True)
    dist.Backend.register_backend(BACKEND, _new_group, extended_api=True, devices=["cpu"])


class ThreadRank:
    """The group of a rank that is a thread, as process_group.ProcessGroup is that of a process."""

    _installed, _lock = False, threading.Lock()

    def __init__(self):
        self._usable = False

    def ensure(self, host, rank_device):
        if self._usable:
            return
        self.end()
        with self._lock:
            if not ThreadRank._installed:
                _install()
                ThreadRank._installed = True
        host.progress("init_process_group")
        if host.rank == 0:
            number = Meetings.new_world()
            host.set("world", number.to_bytes(4, "little"))
        else:
            number = int.from_bytes(host.get("world", 4), "little")
        _of_thread.meetings = Meetings.of_world(number)
        timeout = datetime.timedelta(seconds=host.deadline_s)
        dist.init_process_group(
            BACKEND, store=_of_thread.meetings.store, rank=host.rank, world_size=host.world_size, timeout=timeout
        )
        self._rank, self._usable = host.rank, True

    def abandon(self):
        """Other ranks wait in vain."""
        _of_thread.meetings.end(f"rank {self._rank} {LEFT}")
        self._usable = False

    def end(self):
        if ThreadRank._installed and dist.is_initialized():
            dist.destroy_process_group()
