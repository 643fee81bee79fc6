"""The way of gradients: what each backward adds to a leaf, what has arrived at its end, what a step is given."""

import functools

import torch

from zerocts_watch.discovery import parameters_of
from zerocts_watch.sampling import indices, local_of, picks_of_step, take

SAMPLES = 4  # elements of a parameter
UNFOLLOWED = ("unknown", "zero3")
OWN_GRADIENTS = ("plain", "replica")  # what accumulates is in .grad, from the first micro-batch on


def shard_of(parameter):
    """What this rank owns of it, also while it is unsharded."""
    return (
        getattr(parameter, "_local_shard", None) if getattr(parameter, "_is_flat_param", False) else local_of(parameter)
    )


class Window:
    """What is seen of a parameter from one step to the next."""

    def __init__(self, place, turn, device):
        self.at = picks_of_step(turn, place.numel, SAMPLES)
        self.index = indices(self.at, device)
        inside = [(i, place.inside(position)) for i, position in enumerate(self.at)]
        self.inside = [i for i, here in inside if here is not None]
        self.here = indices([here for _, here in inside if here is not None], device)
        self.added, self.reads, self.dtype = [], [], None  # reads: (what was read, what the owner held)
        self.arrived, self.carried, self.zeroed, self.thrown_away = None, False, 0, False


class Gradients:
    def __init__(self, witness):
        self.witness, self.windows, self.hooked = witness, {}, {}
        self.in_backward = set()  # parameters to which the backward that runs has added

    def forget(self, parameters):
        for parameter in parameters:
            self.windows.pop(id(parameter), None)

    def forget_all(self):
        self.windows.clear()

    def window(self, parameter):
        if id(parameter) not in self.windows:
            place = self.witness.places[id(parameter)]
            self.windows[id(parameter)] = Window(place, self.witness.turn(), parameter.device)
        return self.windows[id(parameter)]

    # ---- backward
    def listen(self, leaf, parameter):
        place = self.witness.places.get(id(parameter))
        if (
            leaf is None
            or place is None
            or place.kind in UNFOLLOWED
            or id(leaf) in self.hooked
            or hasattr(leaf, "to_local")
        ):
            return
        see = self.witness.wire.guarded(torch.no_grad()(functools.partial(self.add, leaf, parameter, place.kind)))
        self.hooked[id(leaf)] = leaf.register_hook(lambda grad: see(grad) if self.witness.is_deep else None)

    def add(self, leaf, parameter, kind, grad):
        if grad.is_sparse:
            return
        window, old = self.window(parameter), parameter.grad
        if old is not None and old.is_sparse:
            return
        if not window.added:
            window.carried = old is not None and bool(local_of(old).any())
        elif kind in OWN_GRADIENTS and (old is None or not bool(take(old, window.index).any())):
            window.added, window.reads, window.thrown_away = [], [], True
        window.dtype = str(grad.dtype)[6:]
        window.added.append(take(grad, window.index).double())
        if kind not in OWN_GRADIENTS and leaf.numel() == grad.numel() and leaf.numel() > window.at[-1]:
            held = shard_of(parameter)
            if held is not None:
                window.reads.append((take(leaf, window.index).double(), take(held, window.here).double()))
        if not self.in_backward:
            end = self.witness.wire.guarded(torch.no_grad()(self.end_backward))
            queue = torch.autograd.Variable._execution_engine.queue_callback
            queue(lambda: queue(end))  # behind the callbacks of the framework, which wait for its reductions
        self.in_backward.add(parameter)

    def end_backward(self):
        parameters, self.in_backward = self.in_backward, set()
        for parameter in parameters:
            window = self.windows.get(id(parameter))
            if window and window.inside and not self.witness.places[id(parameter)].reduces_later():
                grad = parameter.grad
                is_there = grad is not None and not grad.is_sparse
                window.arrived = take(local_of(grad), window.here).double() if is_there else None

    # ---- zero_grad
    def hook_zeroing(self):
        for kind, parameters in ((torch.optim.Optimizer, parameters_of), (torch.nn.Module, lambda m: m.parameters())):
            kind.zero_grad = self.around(kind.zero_grad, parameters)

    def around(self, original, parameters):
        note = self.witness.wire.guarded(self.note_zeroing)

        @functools.wraps(original)
        def zero_grad(owner, *args, **kwargs):
            note(owner, parameters)
            return original(owner, *args, **kwargs)

        return zero_grad

    def note_zeroing(self, owner, parameters):
        if isinstance(owner, torch.optim.Optimizer):
            self.witness.before_zeroing(owner)
        for parameter in parameters(owner) if self.windows else ():
            window = self.windows.get(id(parameter))
            if window:
                window.zeroed = len(window.added)

    # ---- steps
    def send(self, optimizer):
        held = {id(p) for p in parameters_of(optimizer)}
        parts, tensors = [], []
        for key, parameter in self.witness.parameters.items():
            place, grad = self.witness.places[key], parameter.grad
            if key not in held or place.kind in UNFOLLOWED or (key not in self.windows and grad is None):
                continue
            window = self.window(parameter)
            tensors += [*window.added, *(t for read in window.reads for t in read)]
            has_gradient = grad is not None and not grad.is_sparse
            if window.inside and has_gradient:
                tensors.append(take(local_of(grad), window.here).double())
            if window.arrived is not None:
                tensors.append(window.arrived)
            dtype = window.dtype or str(parameter.dtype)[6:]
            parts.append({
                "parameter": place.number, "at": window.at, "micro_batches": len(window.added),
                "reads": len(window.reads), "inside": window.inside, "has_gradient": has_gradient,
                "has_arrived": window.arrived is not None, "dtype": place.reduce_dtype or dtype, "compute_dtype": dtype,
                "carried": window.carried, "zeroed": window.zeroed, "thrown_away": window.thrown_away,
                "hooked": place.is_hooked(),
            })  # fmt: skip
        clipping = self.witness.clipping
        head = {"parts": parts, "loss_scale": clipping.take_loss_scale(), "clips": clipping.take(held)}
        self.witness.wire.send("gradients", tensors, **self.witness.at(optimizer), **head, batches=self.witness.batches)
