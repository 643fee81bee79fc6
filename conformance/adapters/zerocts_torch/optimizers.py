"""torch's optimizers as plain loops over single tensors, what their formula is, and their state by the names of the
protocol.
"""

import torch

from . import device, square_root  # noqa: F401  which makes it the nearest float
from .hyper_parameters import CLASS_NAMES, OWN, STATE_KEYS, defaults, formulas_of, options, parameter_groups

__all__ = [
    "CLASSES",
    "OF_MATRICES",
    "STATE_KEYS",
    "defaults",
    "formulas",
    "optimizer_of",
    "options",
    "parameter_groups",
    "state_of",
]

# Muon since torch 2.9.
CLASSES = {
    optimizer: getattr(torch.optim, name) for optimizer, name in CLASS_NAMES.items() if hasattr(torch.optim, name)
}
# Moves matrices by products of a library, so its formula has no words; for optimizers that own whole tensors.
OF_MATRICES = {"muon": OWN} if "muon" in CLASSES else {}


def formulas(kind=device.KIND):
    """Those of the kernels that torch has here. For CPUs without fma they round the products."""
    return formulas_of(kind, has_fma=kind == "cuda" or torch.backends.cpu.get_cpu_capability() in ("AVX2", "AVX512"))


def optimizer_of(case, tensors):
    """torch's own, of the groups of the case."""
    return CLASSES[case.optimizer](parameter_groups(case, tensors), **defaults(case))


def state_of(optimizer_state, name, like):
    """A moment that the optimizer does not have yet is zero."""
    moment = optimizer_state.get(STATE_KEYS[name])
    return torch.zeros_like(like) if moment is None else moment
