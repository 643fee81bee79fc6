"""What subjects on torch have in common to declare."""

from . import device, optimizers
from .models import MODELS, PARAMETERS_PER_UNIT

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
    "kv_heads": True,
    "inexact_models": True,
    "formulas": optimizers.formulas(),
}
# And of those that also train the probe.
PROBED = {**TRAINED_BY_TORCH, "reduction_orders": ["probed"], "losses": ["linear", "quadratic"]}
CHECKPOINTS = {"checkpoint": True, "checkpoint_reshard": True, "checkpoint_in_window": True}
# And of FSDP in both forms: units of parameters, sharded between steps.
FSDP = {
    **PROBED,
    "stages": [3],
    "world_sizes": [1, 1024],
    "ranks_as_threads": True,
    "gradient_sync": ["last_micro_batch", "every_micro_batch"],
    "clip_formulas": ["torch"],
    "buffers": True,
    "parameters_per_unit": PARAMETERS_PER_UNIT,
    "shapes": [],
    **CHECKPOINTS,
    "optimizer_slack_bytes": 256,  # step counts
}
