"""What the roles of a case's parameters are in torch: tied names, buffers, frozen parameters, gradients that are
missing.
"""

import torch


def tensors_of(case, initial):
    """Per parameter of the case: a Parameter of its own, its owner's when it is tied, a plain tensor when it is a
    buffer.
    """
    tensors = []
    for p, (parameter, values) in enumerate(zip(case.parameters, initial)):
        if parameter.tied_to != p:
            tensors.append(tensors[parameter.tied_to])
        else:
            tensors.append(values if parameter.is_buffer else torch.nn.Parameter(values))
    return tensors


def has_idle_parameters(case):
    """Is there a backward pass that does not reach all parameters?"""
    return case.freezes or case.misses_gradients


def frozen_of(case, tensors):
    """Their indices. No state dict knows it: it is the trainer's to save."""
    return [p for p, tensor in enumerate(tensors) if case.has_state(p) and not tensor.requires_grad]


def buffers_of(case, tensors):
    return [tensor for tensor, parameter in zip(tensors, case.parameters) if parameter.is_buffer]


def parameters_of(case, tensors):
    """Each storage once, as Module.parameters() has them."""
    return [tensor for p, tensor in enumerate(tensors) if case.has_state(p)]
