"""Modules of torch whose parameters are given."""

import functools

import torch


def linear_of(weight, bias=None):
    linear = torch.nn.utils.skip_init(torch.nn.Linear, weight.shape[1], weight.shape[0], bias=bias is not None)
    linear.weight, linear.bias = weight, bias
    return linear


def embedding_of(weight):
    embedding = torch.nn.Embedding(*weight.shape, _weight=weight)
    embedding.weight = weight
    return embedding


def norm_of(weight, bias):
    norm = torch.nn.LayerNorm(weight.shape[0])
    norm.weight, norm.bias = weight, bias
    return norm


class NamedTensors(torch.nn.Module):
    """Its parameters have the names of a case: those of torch, where that of an embedding or head is the module's."""

    def tensor(self, name):
        """As it is now; a wrapper may have replaced it."""
        path = name if name.endswith((".weight", ".bias")) else f"{name}.weight"
        return functools.reduce(getattr, path.split("."), self)
