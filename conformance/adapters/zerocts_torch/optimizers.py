"""torch's optimizers as plain loops over single tensors, what their formula is, and their state by the names of the protocol."""
import torch

from . import device
from .hyper_parameters import CLASS_NAMES, STATE_KEYS, defaults, options, parameter_groups

__all__ = ["CLASSES", "STATE_KEYS", "defaults", "formulas", "options", "parameter_groups", "state_of"]

CLASSES = {optimizer: getattr(torch.optim, name) for optimizer, name in CLASS_NAMES.items()}


def formulas(kind=device.KIND):
    """In the words of reference/optim/formula_names.hpp, which has none yet for Adam on a GPU. Kernels for CPUs without fma round the products."""
    if kind == "cuda":
        return {"sgd": {"moments": "lerp", "products": "fused"}}
    products = "fused" if torch.backends.cpu.get_cpu_capability() in ("AVX2", "AVX512") else "rounded"
    adam = {"moments": "lerp", "bias_correction": "folded", "update": "product_first", "beta_powers": "current", "products": products}
    return {"sgd": {"moments": "lerp", "products": products}, "adamw": {**adam, "decay": "before"}, "adam": {**adam, "decay": "gradient"}}


def state_of(optimizer_state, name, like):
    """A moment that the optimizer does not have yet is zero."""
    moment = optimizer_state.get(STATE_KEYS[name])
    return torch.zeros_like(like) if moment is None else moment
