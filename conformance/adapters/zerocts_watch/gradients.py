"""The way of gradients: what each backward adds to a leaf, what has arrived at its end, what a step is given."""

import functools
import weakref

import torch

from zerocts_watch.discovery import parameters_of
from zerocts_watch.sampling import indices, local_of, picks_of_step, take, take_all

SAMPLES = 4  # elements of a parameter
OWN_GRADIENTS = ("plain", "replica")  # what accumulates is in .grad, from the first micro-batch on


def shard_of(parameter, place):
    """What this rank owns of it, also while it is unsharded."""
    if place.partition:
        return place.partition.value()
    is_flat = getattr(parameter, "_is_flat_param", False)
    return getattr(parameter, "_local_shard", None) if is_flat else local_of(parameter)


class Window:
    """What is seen of a parameter from one step to the next."""

    def __init__(self, place, turn, device):
        self.at = picks_of_step(turn, place.numel, SAMPLES)
        self.index = indices(self.at, device)
        if place.is_whole:
            self.inside, self.here = list(range(len(self.at))), self.index
        else:
            inside = [(i, place.inside(position)) for i, position in enumerate(self.at)]
            self.inside = [i for i, here in inside if here is not None]
            self.here = indices(tuple(here for _, here in inside if here is not None), device)
        self.added, self.reads, self.dtype = [], [], None  # reads: what was read, then what the owner held
        self.arrived, self.given, self.carried, self.zeroed, self.thrown_away = None, None, False, 0, False
        self.of_others = 0  # backwards before a step of an optimizer that does not hold the parameter


def taken_here(gradients, windows):
    """The elements of its window that this rank owns, of each gradient."""
    taken = take_all(gradients, [window.here for window in windows], torch.double)
    return taken.split([len(window.inside) for window in windows])


class Gradients:
    def __init__(self, witness):
        self.witness, self.windows, self.hooked = witness, {}, {}  # hooked: leaves by id
        self.in_backward = set()  # parameters to which the backward that runs has added

    def end_step(self, parameters):
        """A new window of these begins; what the others have by now was made for this step."""
        for parameter in parameters:
            self.windows.pop(id(parameter), None)
        for window in self.windows.values():
            window.of_others = len(window.added)

    def forget_all(self):
        self.windows.clear()

    def window(self, parameter):
        if id(parameter) not in self.windows:
            place = self.witness.places[id(parameter)]
            self.windows[id(parameter)] = Window(place.stepped, self.witness.turn(), parameter.device)
        return self.windows[id(parameter)]

    # ---- backward
    def listen(self, leaf, parameter):
        place = self.witness.places.get(id(parameter))
        if (
            leaf is None
            or place is None
            or not place.is_followed
            or id(leaf) in self.hooked
            or hasattr(leaf, "to_local")
        ):
            return
        gone = functools.partial(self.hooked.pop, id(leaf))
        self.hooked[id(leaf)] = leaf_reference = weakref.ref(leaf, gone)
        add = functools.partial(self.add, leaf_reference, place.parameter)
        see = self.witness.wire.guarded(add, is_frequent=True)
        hook = torch.utils.hooks.unserializable_hook(lambda grad: see(grad) if self.witness.is_deep else None)
        leaf.register_hook(hook)  # which no saved model shows

    def add(self, leaf_reference, parameter_reference, grad):
        leaf, parameter = leaf_reference(), parameter_reference()
        if grad.is_sparse or leaf is None or parameter is None:
            return
        place = self.witness.places[id(parameter)]
        kind, window, old = place.stepped.kind, self.window(parameter), parameter.grad
        if old is not None and old.is_sparse:
            return
        if not window.added:
            window.carried = old is not None and bool(local_of(old).any())
        elif kind in OWN_GRADIENTS and (old is None or self.is_gone(window, old)):
            window.thrown_away |= len(window.added) > window.of_others
            window.added, window.reads, window.carried, window.of_others = [], [], False, 0
        window.dtype = str(grad.dtype)[6:]
        window.added.append(take_all([grad], [window.index], torch.double))
        if kind not in OWN_GRADIENTS and leaf.numel() == grad.numel() and leaf.numel() > window.at[-1]:
            held = shard_of(parameter, place)
            if held is not None:
                window.reads.append(take_all([leaf, held], [window.index, window.here], torch.double))
        if not self.in_backward:
            end = self.witness.wire.guarded(torch.no_grad()(self.end_backward))
            queue = torch.autograd.Variable._execution_engine.queue_callback
            queue(lambda: queue(end))  # behind the callbacks of the framework, which wait for its reductions
        self.in_backward.add(parameter)

    def is_gone(self, window, old):
        """Is the gradient zero where something that is not zero was added?"""
        return not take(old, window.index).any() and any(added.any() for added in window.added)

    def end_backward(self):
        parameters, self.in_backward = self.in_backward, set()
        there = [(p, p.grad) for p in parameters if not self.witness.places[id(p)].reduces_later()]
        for parameter, _ in there:
            if id(parameter) in self.windows:
                self.windows[id(parameter)].arrived = None
        self.note("arrived", there)

    def note(self, what, gradients):
        """What has `arrived` of them, or is `given` to the step: [(parameter, gradient)]."""
        known = [(self.windows.get(id(p)), g) for p, g in gradients if g is not None and not g.is_sparse]
        there = [(window, local_of(grad)) for window, grad in known if window and window.inside]
        windows, gradients = [window for window, _ in there], [grad for _, grad in there]
        for window, taken in zip(windows, taken_here(gradients, windows)):
            setattr(window, what, taken)
        return gradients

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
        for parameter in parameters(owner) if self.windows else ():
            window = self.windows.get(id(parameter))
            if window:
                window.zeroed = len(window.added)

    # ---- steps
    def note_given(self, gradients):
        """To a step. Is every element zero?"""
        there = self.note("given", gradients)
        windows = [self.windows.get(id(parameter)) for parameter, _ in gradients]
        shows = any(w.given.any() for w in windows if w and w.given is not None)
        return not shows and not any(gradient.any() for gradient in there)

    def begin_step(self, optimizer):
        """It is given the gradients of its parameters themselves."""
        held = {id(p) for p in parameters_of(optimizer)}
        gradients = []
        for place, parameter in self.witness.models.living_places():
            if id(parameter) in held and place.is_followed and not place.has_copy:
                if id(parameter) in self.windows or parameter.grad is not None:
                    self.window(parameter).given = None
                    gradients.append((parameter, parameter.grad))
        self.send(optimizer, [p for p, _ in gradients], self.note_given(gradients))

    def send(self, optimizer, parameters, is_zero):
        parts, tensors = [], []
        for parameter in parameters:
            place, window = self.witness.places[id(parameter)], self.windows[id(parameter)]
            tensors += [*window.added, *window.reads]
            tensors += [taken for taken in (window.given, window.arrived) if taken is not None]
            dtype = window.dtype or str(parameter.dtype)[6:]
            parts.append({
                "parameter": place.stepped.number, "at": window.at, "micro_batches": len(window.added),
                "reads": len(window.reads), "inside": window.inside, "has_gradient": window.given is not None,
                "has_arrived": window.arrived is not None, "dtype": place.reduce_dtype or dtype,
                "compute_dtype": place.read_dtype or dtype,
                "carried": window.carried, "zeroed": window.zeroed, "thrown_away": window.thrown_away,
                "hooked": place.is_hooked(),
            })  # fmt: skip
        clipping, held = self.witness.clipping, {id(p) for p in parameters_of(optimizer)}
        head = {"parts": parts, "zero": is_zero, "loss_scale": clipping.take_loss_scale(), "clips": clipping.take(held)}
        self.witness.wire.send("gradients", tensors, **self.witness.at(optimizer), **head, batches=self.witness.batches)
