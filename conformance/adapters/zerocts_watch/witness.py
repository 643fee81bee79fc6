"""Hooks on optimizers, leaves and forward."""

import atexit
import collections
import functools
import time

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from zerocts_watch import discovery
from zerocts_watch.clipping import Clipping
from zerocts_watch.collectives import Collectives
from zerocts_watch.gradients import Gradients
from zerocts_watch.memory import device_bytes, host_bytes
from zerocts_watch.sampling import digest, local_of
from zerocts_watch.update import Update


class Witness:
    def __init__(self, wire, every):
        self.wire, self.every = wire, every
        self.optimizers = {}  # id: (number, optimizer)
        self.steps = collections.Counter()  # of an optimizer
        self.places, self.parameters, self.roots, self.hooked = {}, {}, {}, {}
        self.root_of, self.data_ranks, self.zeroed = {}, {}, set()  # zeroed: optimizers, by id, before their first step
        self.depth, self.replaying, self.is_deep, self.update = 0, False, True, None
        self.batches, self.is_fresh, self.clipping = 0, False, Clipping(self)
        self.gradients = Gradients(self)
        self.announced = []  # by the judge: how often to look from which step on
        self.clock = time.process_time()

    def install(self):
        guarded = self.wire.guarded
        self.collectives = Collectives(self.wire, self.every, self.turn) if torch.distributed.is_available() else None
        register_optimizer_step_pre_hook(guarded(self.before_step))
        register_optimizer_step_post_hook(guarded(torch.no_grad()(self.after_step)))
        self.clipping.hook_torch()
        self.clipping.hook_loss_scale()
        self.gradients.hook_zeroing()
        atexit.register(lambda: self.wire.socket and self.wire.send("end"))

    # ---- steps
    def before_step(self, optimizer, args, kwargs):
        """Where a closure makes the gradients, what is to be seen before the step is seen behind its first call."""
        if self.replaying:
            return None
        self.depth += 1
        prepare = self.wire.guarded(torch.no_grad()(functools.partial(self.prepare, optimizer)))
        closure = kwargs.get("closure") or (args[1] if len(args) > 1 and callable(args[1]) else None)
        if closure is None:
            prepare()
            return None
        calls = []

        @functools.wraps(closure)
        def watched(*of_closure, **named):
            loss = closure(*of_closure, **named)
            if not calls:
                calls.append(prepare())
            return loss

        if "closure" in kwargs:
            return args, {**kwargs, "closure": watched}
        return (args[0], watched, *args[2:]), kwargs

    def prepare(self, optimizer):
        if id(optimizer) not in self.optimizers:
            self.meet(optimizer)
        if self.depth == 1:
            self.is_deep = self.steps[id(optimizer)] % self.every == 0
            if self.is_deep:
                self.gradients.send(optimizer)
        self.update = Update(optimizer, self.steps[id(optimizer)]) if self.is_deep else None

    def after_step(self, optimizer, args, kwargs):
        if self.replaying:
            return
        update, self.update = self.update, None
        if update and update.is_followed and update.optimizer is optimizer:
            if not update.formula:
                self.replaying = True
                try:
                    update.replay()
                finally:
                    self.replaying = False
            kind, head, tensors = update.records(self.name_of)
            self.wire.send(kind, tensors, **self.at(optimizer), **head)
        self.depth -= 1
        if self.depth == 0:
            self.gradients.forget(discovery.parameters_of(optimizer))
            if self.is_deep:
                self.send_step(optimizer)
                self.is_fresh = True
            self.steps[id(optimizer)] += 1
            self.look_as_announced()
            self.is_deep = self.steps[id(optimizer)] % self.every == 0

    def look_as_announced(self):
        self.announced += self.wire.answers()
        while self.announced and self.turn() >= self.announced[0]["from"]:
            self.every = self.announced.pop(0)["every"]
            if self.collectives:
                self.collectives.every = self.every

    def at(self, optimizer):
        return {"optimizer": self.optimizers[id(optimizer)][0], "step": self.steps[id(optimizer)]}

    def name_of(self, parameter):
        return self.places[id(parameter)].name if id(parameter) in self.places else f"a tensor {tuple(parameter.shape)}"

    def meet(self, optimizer):
        held = discovery.parameters_of(optimizer)
        if self.depth == 1:
            self.follow_models(held)
        self.optimizers[id(optimizer)] = (len(self.optimizers), optimizer)
        digests = [digest(local_of(p)) for p in held]
        known = sum(id(p) in self.places for p in held)
        empty = not any(optimizer.state.get(p) for p in held)
        head = {
            "class": type(optimizer).__name__,
            "outer": self.depth == 1,
            "known": known,
            "held": len(held),
            "empty": empty,
            "with_gradient": sum(p.grad is not None for p in held),
        }
        self.wire.send("optimizer", digests, **self.at(optimizer), **head)

    def send_step(self, optimizer):
        held = {id(p) for p in discovery.parameters_of(optimizer)}
        everywhere = {id(p) for _, o in self.optimizers.values() for p in discovery.parameters_of(o)}
        orphans = set(self.parameters) - everywhere
        stepped = {self.root_of[key] for key in everywhere if key in self.root_of}
        hyper = [
            [
                f"{k} {float(v) if torch.is_tensor(v) else v}"
                for k, v in group.items()
                if k not in ("params", "param_names")
            ]
            for group in optimizer.param_groups
        ]
        counts = sorted({int(s["step"]) for s in optimizer.state.values() if "step" in s})
        parts = [(key, p) for key, p in self.parameters.items() if key in held or key in orphans]
        digests = [digest(local_of(getattr(p, "ds_tensor", p))) for _, p in parts]
        numbers, is_held = [self.places[key].number for key, _ in parts], [int(key in held) for key, _ in parts]
        clock, spent = time.process_time(), self.wire.spent
        head = {"spent": spent, "total": clock - self.clock}
        head |= {"host_bytes": host_bytes(), "device_bytes": device_bytes()}
        self.clock, self.wire.spent = clock, 0.0
        head |= {"hyper": hyper, "counts": counts, "parameters": numbers, "held": is_held, "batches": self.batches}
        self.wire.send(
            "step",
            digests,
            **self.at(optimizer),
            **head,
            has_gradient=[int(p.grad is not None and self.root_of[key] in stepped) for key, p in parts],
        )

    # ---- models
    def before_zeroing(self, optimizer):
        """Follows its models before its first step, where a script zeroes gradients before the first backward."""
        if id(optimizer) not in self.zeroed and id(optimizer) not in self.optimizers:
            self.zeroed.add(id(optimizer))
            self.follow_models(discovery.parameters_of(optimizer))

    def follow_models(self, parameters):
        for root in discovery.roots_of(parameters):
            self.follow(root)

    def follow(self, root):
        if id(root) not in self.roots:
            self.roots[id(root)] = (len(self.roots), root)
        number = self.roots[id(root)][0]
        for place, parameter in discovery.named_places(root, f"{number}:" if number else "", len(self.places)):
            if id(parameter) not in self.places:
                self.places[id(parameter)], self.parameters[id(parameter)] = place, parameter
                self.root_of[id(parameter)] = number
                self.wire.send("parameter", **place.record())
        for leaf, parameter in discovery.leaves_of(root, self.places):
            self.gradients.listen(leaf, parameter)
        if hasattr(type(root), "clip_grad_norm_") and "clip_grad_norm_" not in vars(root):
            root.clip_grad_norm_ = self.clipping.around(root.clip_grad_norm_, lambda args: (root.parameters(), *args))
        if id(root) not in self.hooked:
            hook = self.wire.guarded(torch.no_grad()(self.before_forward))

            def training(module, args, kwargs):
                if module.training and torch.is_grad_enabled() and not torch.compiler.is_compiling():
                    hook(module, args, kwargs)

            self.hooked[id(root)] = root.register_forward_pre_hook(training, with_kwargs=True, prepend=True)
            self.data_ranks[id(root)] = discovery.data_ranks(root)

    def turn(self):
        return max(self.steps.values(), default=0)

    def before_forward(self, module, args, kwargs):
        if self.is_fresh:
            self.is_fresh = False
            parts = [
                (self.places[i].number, digest(local_of(p)))
                for i, p in self.parameters.items()
                if self.places[i].kind != "zero3"
            ]
            self.wire.send("read", [d for _, d in parts], parameters=[n for n, _ in parts], step=self.turn())
        tensors = [t for t in (*args, *kwargs.values()) if isinstance(t, torch.Tensor) and t.numel()]
        if tensors and self.is_deep:
            self.wire.send(
                "batch", [digest(t) for t in tensors], number=self.batches, ranks=self.data_ranks[id(module)]
            )
        self.batches += 1
