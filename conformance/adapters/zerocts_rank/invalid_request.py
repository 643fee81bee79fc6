"""What a case gets wrong in an option or in a call, so that the subject must refuse it."""

import numpy


# Where a case has what open gets as a code, by the name in zerocts_subject.h.
_CODED = {
    "stage": ("stage",),
    "optimizer": ("experiment", "optimizer"),
    "param_dtype": ("experiment", "precision"),
    "accumulation_dtype": ("experiment", "accumulation"),
    "reduce_dtype": ("experiment", "reduction"),
    "offload": ("offload",),
    "overlap": ("overlap",),
    "tensor_parts": ("tensor_parts",),
}


def with_undefined_code(case):
    """The JSON of a case, with a value that nobody knows where its invalid request is a code."""
    if case.get("invalid_request", "none") != "code":
        return case
    field, code = case["invalid_option"].split("=", 1)
    *above, name = _CODED[field]
    inner = case
    for part in above:
        inner = inner[part]
    inner[name] = int(code) if field == "stage" else f"{field} of nobody"
    return case


def invalid_options(case, options):
    """The options of the run, and a wrong one where the case has it."""
    if case.invalid_request != "option":
        return options
    key, value = case.json["invalid_option"].split("=", 1)
    return {**options, key: value}


def invalid_micro_batches(case, step):
    """Numbers of those that are given in a step: one too few, or one too many, in the first one."""
    change = {"fewer micro-batches": -1, "more micro-batches": 1}.get(case.invalid_request, 0) if step == 0 else 0
    return range(case.micro_batches + change)


def invalid_gradients(case, step, micro_batch, gradients):
    """Those of a micro-batch: one too few, one too many, or one of what is frozen, in the first one."""
    if step or micro_batch:
        return gradients
    if case.invalid_request == "fewer gradients":
        return gradients[:-1]
    if case.invalid_request == "more gradients":
        return [*gradients, gradients[0]]
    if case.invalid_request == "gradient of frozen":
        frozen = case.experiment["roles"]["frozen"][0]["parameter"]
        unwanted = numpy.zeros(case.parameters[frozen].numel, numpy.float32)
        return [unwanted if p == frozen else gradient for p, gradient in enumerate(gradients)]
    return gradients


def wrong_number(call, micro_batches):
    """The number under which an extra call that gives a micro-batch gives it."""
    repeats = call["kind"] == "repeated micro-batch"
    return call["micro_batches"] - 1 if repeats else min(call["micro_batches"] + 1, micro_batches)
