"""The suite's models in torch, from the parameters of a case. reference/model has the definition."""

import torch
from torch.nn import functional

from . import roles
from .probe import NestedProbe


class Mlp(torch.nn.Module):
    """Embedding, (linear, GELU) per hidden layer, logits of the token after the context, mean cross-entropy. Its units
    are wrapped one by one.
    """

    def __init__(self, sizes, tensors):
        """`tensors`: {name: Parameter}, by the names of the case."""
        super().__init__()
        self.embedding = torch.nn.Embedding(sizes["vocab"], sizes["embedding"], _weight=tensors["embedding"])
        self.embedding.weight = tensors["embedding"]
        for name in [f"hidden{layer}" for layer in range(len(sizes["hidden"]))] + ["logits"]:
            self.add_module(name, self._linear(tensors[f"{name}.weight"], tensors[f"{name}.bias"]))

    @staticmethod
    def _linear(weight, bias):
        linear = torch.nn.utils.skip_init(torch.nn.Linear, weight.shape[1], weight.shape[0])
        linear.weight, linear.bias = weight, bias
        return linear

    @property
    def units(self):
        return list(self.children())

    def tensor(self, name):
        """As it is now; a wrapper may have replaced it."""
        unit, _, parameter = name.partition(".")
        return getattr(getattr(self, unit), parameter or "weight")

    def forward(self, inputs, targets):
        embedding, *hidden, logits = self.units
        x = embedding(inputs).flatten(1)
        for layer in hidden:
            x = functional.gelu(layer(x), approximate="tanh")
        return functional.cross_entropy(logits(x), targets.flatten())


MODELS = {"mlp": Mlp}
PARAMETERS_PER_UNIT = 2  # of a probe


def model_of(case, tensors):
    """The case's model of its parameters, [parameters]."""
    ((kind, sizes),) = case.model.items()
    return MODELS[kind](sizes, {parameter.name: tensor for parameter, tensor in zip(case.parameters, tensors)})


def model_in_units(case, tensors, device):
    """The case's model, or a probe, whose `units` are wrapped one by one."""
    if case.trains_model:
        return model_of(case, tensors)
    return NestedProbe(
        dict(enumerate(tensors)), PARAMETERS_PER_UNIT, case.curvature, roles.has_idle_parameters(case), device
    )
