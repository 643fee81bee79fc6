"""By what DeepSpeed multiplied the gradients, of its norm: a formula for each of its optimizers, with the names of the
suite.
"""

import sys

import numpy

from zerocts_rank import StepResult

EPSILON = 1e-6
ON_CPUS = {
    "deepspeed-0": "min",
    "deepspeed-1": "deepspeed",
    "deepspeed-1-bf16": "torch",
    "deepspeed-2": "deepspeed",
    "deepspeed-3": "deepspeed_fp64",
}
ON_GPUS = {"deepspeed": "deepspeed_reciprocal"}  # where torch multiplies by the reciprocal of a number to divide by it


def formula_of(subject, kind):
    """On a kind of device."""
    formula = ON_CPUS[subject]
    return ON_GPUS.get(formula, formula) if kind == "cuda" else formula


class LastResult:
    """A function that also keeps what it returned."""

    def __init__(self, function):
        self.function, self.value = function, None

    def __call__(self, *arguments, **others):
        self.value = self.function(*arguments, **others)
        return self.value


def keep_norms_of_stage_0():
    """Its engine clips by this function and drops the norm."""
    engine = sys.modules["deepspeed.runtime.engine"]
    engine.clip_grad_norm_ = LastResult(engine.clip_grad_norm_)
    return engine.clip_grad_norm_


def quotient(formula, norm, max_norm, real):
    one, length, limit = real(1), real(norm) + real(EPSILON), real(max_norm)
    if formula == "min":
        return min(one, limit / length)
    if formula == "torch":
        return min(one, one / length * limit)
    return one / max(one, length * (one / limit) if formula == "deepspeed_reciprocal" else length / limit)


def result(formula, norm, max_norm):
    """`norm` may be a tensor, on any device."""
    norm = float(norm)
    real = numpy.float64 if formula == "deepspeed_fp64" else numpy.float32
    return StepResult(norm, float(numpy.float32(quotient(formula, norm, max_norm, real))))
