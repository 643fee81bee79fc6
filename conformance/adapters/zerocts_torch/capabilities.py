"""What subjects on torch have in common to declare."""

from . import device, optimizers
from .models import MODELS

TRAINED_BY_TORCH = {
    "optimizers": list(optimizers.formulas()),
    "clip": True,
    "accumulation": True,
    "groups": True,
    "set_group": True,
    "states": ["master", "momentum", "exp_avg", "exp_avg_sq", "gradient"],
    **device.capabilities(device.KIND),
    "sgd_variants": True,
    "inexact_norm": True,
    "models": list(MODELS),
    "inexact_models": True,
    "formulas": optimizers.formulas(),
}
# And of those that also train the probe.
PROBED = {**TRAINED_BY_TORCH, "reduction_orders": ["probed"], "losses": ["linear", "quadratic"]}
