"""Calls of clip_grad_norm_, and steps of torch's GradScaler."""

import collections.abc
import functools
import math

import torch

from zerocts_watch.discovery import parameters_of
from zerocts_watch.sampling import sums_of_squares


def finite(value):
    """As a number of JSON, which has no infinity and no NaN."""
    return float(value) if math.isfinite(value) else None


def read_twice(parameters):
    """A generator can be read once: by the witness, or by who is called."""
    return list(parameters) if isinstance(parameters, collections.abc.Iterator) else parameters


def of_function(args, kwargs):
    """(args, kwargs) of a call, and of `before_clip`."""
    if "parameters" in kwargs:
        kwargs = {**kwargs, "parameters": read_twice(kwargs["parameters"])}
    elif args:
        args = (read_twice(args[0]), *args[1:])
    return args, kwargs, (args, kwargs)


def of_method(args, kwargs):
    return args, kwargs, ((args[0].parameters(), *args[1:]), kwargs)


class Clipping:
    def __init__(self, witness):
        self.witness, self.loss_scale, self.has_clipped_scaled, self.hooked = witness, 1.0, False, set()
        self.clips, self.clip_calls, self.is_clipping = [], 0, False  # clips: (number, parameters) before a step

    def take(self, held):
        """Numbers of the calls that clipped some of these parameters since the last step."""
        clips = [number for number, clipped in self.clips if clipped & held]
        self.clips = [(number, clipped) for number, clipped in self.clips if not clipped & held]
        return clips

    def take_loss_scale(self):
        scale, self.loss_scale = self.loss_scale, 1.0
        return scale

    def hook_torch(self):
        utils = torch.nn.utils
        utils.clip_grad_norm_ = utils.clip_grad.clip_grad_norm_ = self.around(utils.clip_grad_norm_, of_function)

    def hook_method(self, kind):
        """Some models clip by themselves."""
        if kind not in self.hooked:
            self.hooked.add(kind)
            kind.clip_grad_norm_ = self.around(kind.clip_grad_norm_, of_method)

    def around(self, original, arguments):
        guarded = self.witness.wire.guarded
        before, after = guarded(torch.no_grad()(self.before_clip)), guarded(self.after_clip)

        @functools.wraps(original)
        def clip(*args, **kwargs):
            if self.is_clipping:  # FSDP1's may call torch's
                return original(*args, **kwargs)
            args, kwargs, (seen_args, seen_kwargs) = arguments(args, kwargs)
            seen = before(*seen_args, **seen_kwargs)
            self.is_clipping = True
            try:
                norm = original(*args, **kwargs)
            finally:
                self.is_clipping = False
            if seen:
                after(seen, norm)
            return norm

        return clip

    def before_clip(self, parameters, max_norm=None, norm_type=2.0, *rest, **kwargs):
        if not self.witness.is_deep or max_norm is None:
            return None
        parameters = [parameters] if torch.is_tensor(parameters) else list(parameters)
        places = self.witness.places
        parts = [(places[id(p)].number if id(p) in places else -1, p.grad) for p in parameters if p.grad is not None]
        numbers, gradients = zip(*parts) if parts else ((), ())
        return self.begin(parameters, numbers, gradients, max_norm, norm_type)

    def begin(self, parameters, numbers, gradients, max_norm, norm_type):
        """The call's record, before anything is scaled: its head, and sums of squares."""
        self.clip_calls += 1
        self.clips.append((self.clip_calls, {id(p) for p in parameters}))
        head = {"parameters": numbers, "max_norm": finite(max_norm), "norm_type": finite(norm_type)}
        return {"call": self.clip_calls, **head}, sums_of_squares(gradients)

    def after_clip(self, seen, norm):
        head, sums = seen
        told = None if norm is None or hasattr(norm, "to_local") else finite(norm)
        self.witness.wire.send("clip", [sums], **head, told=told, step=self.witness.turn())

    def hook_loss_scale(self):
        self.hook_unscaling()
        original, before = torch.amp.GradScaler._maybe_opt_step, self.witness.wire.guarded(self.before_scaled_step)

        @functools.wraps(original)
        def maybe_step(scaler, optimizer, state, *args, **kwargs):
            before(scaler, state)
            return original(scaler, optimizer, state, *args, **kwargs)

        torch.amp.GradScaler._maybe_opt_step = maybe_step

    def hook_unscaling(self):
        original, before = torch.amp.GradScaler.unscale_, self.witness.wire.guarded(self.before_unscaling)

        @functools.wraps(original)
        def unscale(scaler, optimizer):
            before(optimizer)
            return original(scaler, optimizer)

        torch.amp.GradScaler.unscale_ = unscale

    def before_unscaling(self, optimizer):
        held = {id(p) for p in parameters_of(optimizer)}
        self.has_clipped_scaled = any(clipped & held for _, clipped in self.clips)

    def before_scaled_step(self, scaler, state):
        self.loss_scale = float(scaler._scale) if scaler._scale is not None else 1.0
        skips = any(float(found) for found in state["found_inf_per_device"].values())
        if skips:
            self.witness.gradients.forget_all()
        self.send_loss_scale(self.loss_scale, skips, self.has_clipped_scaled)

    def send_loss_scale(self, scale, skips, clipped_scaled=False):
        head = {"scale": scale, "skips": skips, "clipped_scaled": clipped_scaled}
        self.witness.wire.send("loss_scale", **head, step=self.witness.turn())
