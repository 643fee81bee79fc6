"""The suite's models in torch, from the parameters of a case. reference/model has the definition."""

from torch.nn import functional

from . import roles
from .gpt import Gpt
from .layers import NamedTensors, embedding_of, linear_of
from .probe import NestedProbe


class Mlp(NamedTensors):
    """Embedding, (linear, GELU) per hidden layer, logits of the token after the context, mean cross-entropy. Its units
    are wrapped one by one.
    """

    def __init__(self, sizes, tensors):
        """`tensors`: {name: Parameter}, by the names of the case."""
        super().__init__()
        self.embedding = embedding_of(tensors["embedding"])
        for name in [f"hidden{layer}" for layer in range(len(sizes["hidden"]))] + ["logits"]:
            self.add_module(name, linear_of(tensors[f"{name}.weight"], tensors[f"{name}.bias"]))

    @property
    def units(self):
        return list(self.children())

    def forward(self, inputs, targets):
        embedding, *hidden, logits = self.units
        x = embedding(inputs).flatten(1)
        for layer in hidden:
            x = functional.gelu(layer(x), approximate="tanh")
        return functional.cross_entropy(logits(x), targets.flatten())


MODELS = {"mlp": Mlp, "gpt": Gpt}
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
