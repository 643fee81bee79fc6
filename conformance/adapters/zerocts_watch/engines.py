"""Steps of DeepSpeed's engines: its optimizers step copies, one group after the other, and clip by themselves."""

import functools
import importlib
import math

import torch
from zerocts_watch.clipping import of_function
from zerocts_watch.discovery import parameters_of
from zerocts_watch.partitions import copies_of, stepper_of
from zerocts_watch.update import Update


class Engines:
    def __init__(self, witness):
        self.witness, self.hooked = witness, set()
        self.clip, self.is_zero = None, True  # of the step that is made: what is clipped; are all gradients zero?

    def hook(self, engine):
        self.hook_class(type(engine), "_take_model_step", self.before_model_step)
        self.hook_class(type(engine), "zero_grad", lambda engine: self.note_zeroing(engine, type(engine).parameters))
        stepper = stepper_of(engine)
        if stepper is not None:
            self.hook_class(type(stepper), "step", self.begin_step, self.end_step)
            self.hook_class(type(stepper), "zero_grad", lambda stepper: self.note_zeroing(stepper, parameters_of))
        elif "clip_grad_norm_" not in self.hooked:
            self.hooked.add("clip_grad_norm_")
            module = importlib.import_module("deepspeed.runtime.engine")
            module.clip_grad_norm_ = self.witness.clipping.around(module.clip_grad_norm_, of_function)

    def hook_class(self, kind, name, before, after=lambda owner: None):
        if (kind, name) in self.hooked:
            return
        self.hooked.add((kind, name))
        original, (before, after) = getattr(kind, name), map(self.witness.wire.guarded, (before, after))

        @functools.wraps(original)
        def call(owner, *args, **kwargs):
            before(owner)
            try:
                result = original(owner, *args, **kwargs)
            except BaseException:
                self.witness.stepping.clear()
                raise
            after(owner)
            return result

        setattr(kind, name, call)

    def note_zeroing(self, owner, parameters):
        if not self.witness.stepping:  # else a step has taken what it needs
            self.witness.gradients.note_zeroing(owner, parameters)

    def places_of(self, engine):
        places = self.witness.models.living_places()
        return [(place, parameter) for place, parameter in places if place.root() is engine and place.is_followed]

    def before_model_step(self, engine):
        """All gradients are reduced; nothing has unscaled or clipped them."""
        if not self.witness.is_deep:
            return
        reduced = [(place, p, self.reduced(place, p)) for place, p in self.places_of(engine)]
        self.witness.gradients.note("arrived", [(parameter, gradient) for _, parameter, gradient in reduced])
        stepper = stepper_of(engine)
        if stepper is not None:
            self.is_zero = True
            self.begin_clip(stepper, [(place.copy.number, gradient) for place, _, gradient in reduced])

    def reduced(self, place, parameter):
        if not place.partition:
            return parameter.grad
        return place.partition.reduced(parameter)

    def begin_clip(self, stepper, parts):
        """`parts`: [(number, gradient)]. One that is not known, of number -1, keeps the norm from being judged."""
        scale, limit = float(getattr(stepper, "loss_scale", 1)), float(getattr(stepper, "clip_grad", 0))
        known = [(number, gradient) for number, gradient in parts if gradient is not None]
        if len(known) < len(parameters_of(stepper)) or getattr(stepper, "mpu", None) is not None:
            known = [*parts, (-1, None)]
        numbers, gradients = zip(*((number, torch.empty(0) if g is None else g) for number, g in known))
        head, sums = self.witness.clipping.begin(parameters_of(stepper), numbers, gradients, limit or math.inf, 2.0)
        self.witness.clipping.loss_scale, self.clip = scale, (head, sums / scale**2)

    # ---- a step: another optimizer within makes it, of one group of copies after the other
    def begin_step(self, stepper):
        witness = self.witness
        witness.stepping[:] = [stepper]
        if stepper not in witness.optimizers:
            witness.meet(stepper, True)
        witness.is_deep = witness.optimizers[stepper].made % witness.every == 0

    def prepare(self, stepper, optimizer):
        witness = self.witness
        if optimizer not in witness.optimizers:
            witness.meet(optimizer, False)
        witness.optimizers[optimizer].made = steps = witness.optimizers[stepper].made
        if witness.is_deep:
            self.note_given(stepper, optimizer)
        witness.update = Update(optimizer, steps, of_copies=True) if witness.is_deep else None

    def end_step(self, stepper):
        witness, skips = self.witness, getattr(stepper, "overflow", False)
        witness.stepping.clear()
        self.end_clip(stepper, skips)
        held = parameters_of(stepper)
        if skips:
            return witness.gradients.end_step(held)
        if witness.is_deep:
            followed = [parameter for parameter in held if id(parameter) in witness.gradients.windows]
            witness.gradients.send(stepper, followed, self.is_zero)
        witness.end_outer_step(stepper)

    def end_clip(self, stepper, skips):
        clipping = self.witness.clipping
        if self.witness.is_deep:
            clipping.send_loss_scale(clipping.loss_scale, skips)
        if skips:
            clipping.take({id(p) for p in parameters_of(stepper)})
            clipping.take_loss_scale()
        elif self.clip:
            clipping.after_clip(self.clip, getattr(stepper, "_global_grad_norm", None))
        self.clip = None

    def name_of_copy(self, tensor):
        """If it is one that the optimizer steps now."""
        copies = copies_of(self.witness.stepping[0])
        return next((f"the fp32 partition of group {i}" for i, copy in enumerate(copies) if copy is tensor), None)

    def note_given(self, stepper, optimizer):
        """The gradients of the copies that the optimizer within is about to step."""
        held, flats, given = {id(p) for p in parameters_of(optimizer)}, copies_of(stepper), []
        for place, parameter in self.witness.models.living_places():
            partition = place.partition
            if partition and partition.stepper() is stepper and partition.numel:
                flat = flats[partition.group]
                if id(flat) in held and flat.grad is not None and id(parameter) in self.witness.gradients.windows:
                    given.append((parameter, partition.of_copy(flat.grad)))
        self.is_zero = self.witness.gradients.note_given(given) and self.is_zero
