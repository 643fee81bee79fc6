"""Collectives of every caller: kernels for the operators c10d:: on the key BackendSelect, which call on the backend's.

Functional collectives come by it too; they leave the key Autograd out. The kernels redispatch, which releases the GIL;
one on the key CPU would hold it, and deadlock with the threads of gloo.
"""

import collections
import functools
import itertools
import threading

import torch
import torch.distributed as dist

from zerocts_watch.sampling import IS_COMPILED, picks, take
from zerocts_watch.waits import Waits

SAMPLES = 4  # elements of a chunk
CHUNKS = {
    "_allgather_base_": "got",
    "allgather_into_tensor_coalesced_": "got",
    "_reduce_scatter_base_": "sent",
    "reduce_scatter_tensor_coalesced_": "sent",
}
BACKENDS = torch._C._dispatch_keyset_full_after(torch._C.DispatchKey.BackendSelect)
UNSEEN = ("barrier", "monitored_barrier_", "send", "recv_", "recv_any_source_")


def first_of(tensors):
    """One tensor, or the first of coalesced ones, as a list."""
    return [tensors] if torch.is_tensor(tensors) else list(tensors)[:1]


def tensors_of(name, args):
    """Inputs, outputs, and of which of them one tensor holds the chunks of all ranks: "", "sent" or "got"."""
    if name in CHUNKS:
        return first_of(args[1]), first_of(args[0]), CHUNKS[name]
    if name == "allgather_":
        sent, got = args[1][0], list(args[0][0])
        return ([sent], got, "") if all(g.numel() == sent.numel() for g in got) else ([], [], "")
    if name in ("allreduce_", "broadcast_", "allreduce_coalesced_"):
        return first_of(args[0]), first_of(args[0]), ""
    return [], [], ""


def is_plain(tensor):
    return tensor.layout == torch.strided and not tensor.is_complex() and not tensor.is_quantized


class Collectives:
    def __init__(self, wire, every, turn):
        self.wire, self.every, self.turn = wire, every, turn
        self.sequence, self.lock, self.waits = collections.Counter(), threading.Lock(), Waits(wire)
        self.library = torch.library.Library("c10d", "IMPL")
        for full in torch._C._dispatch_get_all_op_names():
            if full.startswith("c10d::"):
                self.see(full[len("c10d::") :], getattr(torch.ops.c10d, full[len("c10d::") :]).default)

    def see(self, name, op):
        names = [argument.name for argument in op._schema.arguments]
        if name in UNSEEN or "process_group" not in names:
            return
        before, after = self.wire.guarded(self.before), self.wire.guarded(self.after)
        place, reduce = names.index("process_group"), names.index("reduce_op") if "reduce_op" in names else None

        def kernel(keys, *args, **kwargs):
            call = functools.partial(op.redispatch, keys & BACKENDS, *args, **kwargs)
            seen = before(name, args, place, reduce)
            if not seen:
                return call()
            self.waits.enter(seen[0])
            try:
                result = call()
                after(seen, result)
            finally:
                self.waits.leave()
            return result

        self.library.impl(name, kernel, "BackendSelect", with_keyset=True)

    @torch.no_grad()
    def before(self, name, args, place, reduce):
        if torch._C._len_torch_dispatch_stack():  # fake tensors of a compiler, or a mode of the user
            return None
        group = dist.ProcessGroup.unbox(args[place])
        ranks = tuple(dist.get_process_group_ranks(group))
        with self.lock:  # gloo numbers the collectives of a group in the order of their calls, as this does
            number = self.sequence[ranks, group.group_name]
            self.sequence[ranks, group.group_name] += 1
        inputs, outputs, chunks = tensors_of(name, args)
        if (number * 2654435761 >> 7) % self.every or not inputs or not is_plain(inputs[0]):
            return None
        n = inputs[0].numel() // (len(ranks) if chunks == "sent" else 1)
        at = picks(number, n, SAMPLES)
        spread = [rank * n + i for rank, i in itertools.product(range(len(ranks)), at)]
        sent = take(inputs[0], spread if chunks == "sent" else at)
        can_name = reduce is not None and IS_COMPILED  # Python itself cannot read it
        head = {
            "op": name,
            "group": group.group_name,
            "ranks": ranks,
            "number": number,
            "numel": inputs[0].numel(),
            "step": self.turn(),
            "dtype": str(inputs[0].dtype)[6:],
            "samples": len(at),
            "root": args[2] if name == "broadcast_" else None,
            "reduce": torch.ops.zerocts_watch.reduce_name(args[reduce]) if can_name else "",
        }
        return head, sent, outputs, spread if chunks == "got" else at

    @torch.no_grad()
    def after(self, seen, result):
        head, sent, outputs, positions = seen
        work = result[-1] if isinstance(result, (tuple, list)) else result
        if outputs[0].device.type == "cpu":
            try:
                dist.Work.unbox(work).wait()
            except Exception:
                return  # an error of the collective: its caller meets it too
        self.wire.send("collective", [sent, *(take(t, positions) for t in outputs)], **head)
