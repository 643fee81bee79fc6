"""Hooks on optimizers, leaves and forward."""

import atexit
import dataclasses
import functools
import time
import weakref

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from zerocts_watch import discovery
from zerocts_watch.clipping import Clipping
from zerocts_watch.collectives import Collectives
from zerocts_watch.engines import Engines
from zerocts_watch.gradients import Gradients
from zerocts_watch.memory import device_bytes, host_bytes
from zerocts_watch.models import Models
from zerocts_watch.sampling import digests
from zerocts_watch.update import Update, keeps_state


def stored(parameter):
    """What a rank keeps of it: DeepSpeed's stage 3 a part, between its uses."""
    return getattr(parameter, "ds_tensor", parameter)


def settings_of(optimizer):
    """[["lr 0.001", ..] of each group]; none where it is no optimizer."""
    return [
        [f"{k} {float(v) if torch.is_tensor(v) else v}" for k, v in group.items() if k not in ("params", "param_names")]
        for group in getattr(optimizer, "param_groups", ())
    ]


@dataclasses.dataclass
class Steps:
    """What an optimizer has made, the `number`th that was met."""

    number: int
    made: int = 0


class Witness:
    def __init__(self, wire, every):
        self.wire, self.every = wire, every
        self.optimizers = weakref.WeakKeyDictionary()
        self.steps_made, self.most_steps, self.met = 0, 0, 0  # by all optimizers, by one; how many have made one
        self.models = Models(self)
        self.places = self.models.places
        self.stepping, self.replaying, self.is_deep, self.update = [], False, True, None
        self.batches, self.is_fresh, self.clipping = 0, False, Clipping(self)
        self.gradients, self.engines = Gradients(self), Engines(self)
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
        self.models.hook_making()
        self.hook_forward()
        atexit.register(lambda: self.wire.socket and self.wire.send("end"))

    # ---- steps
    def before_step(self, optimizer, args, kwargs):
        """Where a closure makes the gradients, what is to be seen before the step is seen behind its first call."""
        if self.replaying:
            return None
        prepare = self.wire.guarded(torch.no_grad()(self.preparation(optimizer)))
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

    def preparation(self, optimizer):
        """What to do before a step, which may be one within another. An error may have ended the step before."""
        inside = [id(other) for other in self.stepping]
        if id(optimizer) in inside:
            del self.stepping[inside.index(id(optimizer)) :]
        self.stepping.append(optimizer)
        if not isinstance(self.stepping[0], torch.optim.Optimizer):
            return functools.partial(self.engines.prepare, self.stepping[0], optimizer)
        return functools.partial(self.prepare, optimizer, len(self.stepping) == 1)

    def prepare(self, optimizer, is_outer):
        if optimizer not in self.optimizers:
            self.meet(optimizer, is_outer)
        steps = self.optimizers[optimizer].made
        if is_outer:
            self.is_deep = steps % self.every == 0
            if self.is_deep:
                self.gradients.begin_step(optimizer)
        self.update = Update(optimizer, steps) if self.is_deep else None

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
        self.stepping.pop()
        if optimizer not in self.optimizers:  # it has not called the closure that it was given
            return
        if not self.stepping:
            self.end_outer_step(optimizer)
        else:
            self.optimizers[optimizer].made += 1

    def end_outer_step(self, optimizer):
        self.gradients.end_step(discovery.parameters_of(optimizer))
        if self.is_deep:
            self.send_step(optimizer)
            self.is_fresh = True
        steps = self.optimizers[optimizer]
        steps.made += 1
        self.steps_made, self.most_steps = self.steps_made + 1, max(self.most_steps, steps.made)
        self.look_as_announced()
        self.is_deep = steps.made % self.every == 0

    def look_as_announced(self):
        self.announced += self.wire.answers()
        while self.announced and self.turn() >= self.announced[0]["from"]:
            self.every = self.announced.pop(0)["every"]
            if self.collectives:
                self.collectives.every = self.every

    def at(self, optimizer):
        return {"optimizer": self.optimizers[optimizer].number, "step": self.optimizers[optimizer].made}

    def name_of(self, parameter):
        if id(parameter) in self.places:
            return self.places[id(parameter)].name
        return self.engines.name_of_copy(parameter) or f"a tensor {tuple(parameter.shape)}"

    def meet(self, optimizer, is_outer):
        held = discovery.parameters_of(optimizer)
        if is_outer:
            self.models.follow_all(held, [optimizer])
        self.optimizers[optimizer] = Steps(self.met)
        self.met += 1
        known = sum(id(p) in self.places for p in held)
        empty = keeps_state(optimizer) and not any(optimizer.state.values())
        head = {
            "class": type(optimizer).__name__,
            "outer": is_outer,
            "known": known,
            "held": len(held),
            "empty": empty,
            "with_gradient": sum(p.grad is not None for p in held),
        }
        self.wire.send("optimizer", [digests([stored(p) for p in held])], **self.at(optimizer), **head)

    def send_step(self, optimizer):
        held = {id(p) for p in discovery.parameters_of(optimizer)}
        places = self.models.living_places()
        for place, parameter in places:
            place.was_held |= id(parameter) in held
        stepped = {place.root_number for place, _ in places if place.was_held}
        parts = [(place, p) for place, p in places if id(p) in held or not place.was_held]
        counts = sorted({int(s["step"]) for s in optimizer.state.values() if "step" in s})
        tensors = [stored(p) for _, p in parts]
        numbers, is_held = [place.number for place, _ in parts], [int(place.was_held) for place, _ in parts]
        clock, spent = time.process_time(), self.wire.spent
        head = {"spent": spent, "total": clock - self.clock}
        head |= {"host_bytes": host_bytes(), "device_bytes": device_bytes()}
        self.clock, self.wire.spent = clock, 0.0
        head |= {"hyper": settings_of(optimizer), "inner_hyper": settings_of(getattr(optimizer, "optim", None))}
        head |= {"counts": counts, "parameters": numbers, "held": is_held, "batches": self.batches}
        self.wire.send(
            "step",
            [digests(tensors)],
            **self.at(optimizer),
            **head,
            has_gradient=[int(p.grad is not None and place.root_number in stepped) for place, p in parts],
        )

    # ---- forward
    def follow_from_now(self, model, optimizer):
        """As zerocts.watch asks for."""
        follow = self.wire.guarded(self.models.follow_all)
        follow([*model.parameters(), *discovery.parameters_of(optimizer)], [optimizer])

    def hook_forward(self):
        """At the class: a hook of a model would be saved with it."""
        original, models = torch.nn.Module.__call__, self.models
        hook = self.wire.guarded(torch.no_grad()(self.before_forward))

        @functools.wraps(original)
        def call(module, *args, **kwargs):
            is_looked_at = self.is_fresh or models.without_forward or id(module) in models.roots
            if is_looked_at and getattr(module, "training", False) and torch.is_grad_enabled():
                hook(module, args, kwargs)
            return original(module, *args, **kwargs)

        torch.nn.Module.__call__ = call

    def turn(self):
        return self.most_steps

    def before_forward(self, module, args, kwargs):
        if self.models.without_forward:
            self.models.before_forward()
        if self.is_fresh:
            self.is_fresh = False
            self.send_read()
        model = self.models.roots.get(id(module))
        if model is None:
            return
        self.gradients.in_backward.clear()  # of a backward that an error ended
        tensors = [t for t in (*args, *kwargs.values()) if isinstance(t, torch.Tensor) and t.numel()]
        if tensors and self.is_deep:
            head = {"model": model.number, "number": model.batches, "ranks": model.data_ranks}
            self.wire.send("batch", [digests(tensors)], **head)
        model.batches += 1
        self.batches += 1

    def send_read(self):
        """What the first module that is called after a step finds; it need not be a model's root."""
        parts = self.models.living_places()
        numbers = [place.number for place, _ in parts]
        head = {"number": self.steps_made, "step": self.turn(), "parameters": numbers}
        self.wire.send("read", [digests([stored(p) for _, p in parts])], **head)
