"""The models and parameters that are followed, held weakly: a witness keeps nothing of the user's alive."""

import dataclasses
import functools
import weakref

import torch

from zerocts_watch import discovery
from zerocts_watch.partitions import is_engine
from zerocts_watch.places import Place


@dataclasses.dataclass
class Model:
    """The `number`th that was met; its batches differ among `data_ranks`."""

    number: int
    data_ranks: list
    reference: weakref.ref
    batches: int = 0


class Models:
    def __init__(self, witness):
        self.witness, self.places, self.roots = witness, {}, {}  # of parameters; models: by id
        self.met, self.numbered = 0, 0  # models, parameters
        # References to optimizers since whose making there was no forward, no backward; each call of a module asks.
        self.without_forward, self.without_backward = [], []

    def hook_making(self):
        """The models of an optimizer are followed from the first forward after it was made on, and looked at again
        before the first backward: the leaves of FSDP2 are there then."""
        make, backward = torch.optim.Optimizer.__init__, torch.autograd.backward
        guarded = self.witness.wire.guarded
        note_made, follow_made = guarded(self.note_made), guarded(torch.no_grad()(self.before_backward))

        @functools.wraps(make)
        def made(optimizer, *args, **kwargs):
            make(optimizer, *args, **kwargs)
            note_made(optimizer)

        @functools.wraps(backward)
        def followed(*args, **kwargs):
            if self.without_backward:
                follow_made()
            return backward(*args, **kwargs)

        torch.optim.Optimizer.__init__, torch.autograd.backward = made, followed

    def note_made(self, optimizer):
        reference = weakref.ref(optimizer)
        self.without_forward.append(reference)
        self.without_backward.append(reference)

    def before_forward(self):
        self.follow_made(self.without_forward)

    def before_backward(self):
        self.follow_made(self.without_backward)

    def follow_made(self, made):
        optimizers = [optimizer for reference in made if (optimizer := reference()) is not None]
        made.clear()
        self.follow_all([p for optimizer in optimizers for p in discovery.parameters_of(optimizer)], optimizers)

    def follow_all(self, parameters, optimizers):
        """All models that own one of them, or whose copies one of the optimizers steps."""
        roots = discovery.roots_of(parameters, optimizers)
        for root in roots:
            self.follow(root, roots)

    def follow(self, root, roots):
        if id(root) not in self.roots:
            reference = weakref.ref(root, functools.partial(self.roots.pop, id(root)))
            self.roots[id(root)] = Model(self.met, discovery.data_ranks(root), reference)
            self.met += 1
        number = self.roots[id(root)].number
        for name, parameter in discovery.named_parameters(root):
            known = self.places.get(id(parameter))
            if known is None or known.root() not in roots:  # a model may be wrapped, or wrapped again
                gone = functools.partial(self.forget, id(parameter))
                place = Place(self.numbered, number, name, weakref.ref(parameter, gone), root)
                self.places[id(parameter)] = place
                for part in (place, place.copy) if place.copy else (place,):
                    self.numbered += 1
                    self.witness.wire.send("parameter", **part.record())
        for leaf, parameter in discovery.leaves_of(root, self.places):
            self.witness.gradients.listen(leaf, parameter)
        if hasattr(type(root), "clip_grad_norm_"):
            self.witness.clipping.hook_method(type(root))
        if is_engine(root):
            self.witness.engines.hook(root)

    def forget(self, key, _):
        self.places.pop(key, None)
        self.witness.gradients.windows.pop(key, None)

    def living_places(self):
        """[(place, parameter)]"""
        there = [(place, place.parameter()) for place in list(self.places.values())]
        return [(place, parameter) for place, parameter in there if parameter is not None]
