"""torch's ZeRO-1: DistributedDataParallel reduces the gradients, ZeroRedundancyOptimizer shards the optimizer by
tensors.
"""

import zerocts_torch  # noqa: F401  before torch
from torch.distributed.optim import ZeroRedundancyOptimizer

from zerocts_rank import run
from zerocts_torch import device
from zerocts_torch.capabilities import CHECKPOINTS
from zerocts_torch.tensor_sharded import TensorSharded


class TorchZero1(TensorSharded):
    name = "torch-zero1"
    description = f"DistributedDataParallel with ZeroRedundancyOptimizer, {device.BACKEND}"
    capabilities = {
        **TensorSharded.capabilities,
        "tied": True,
        "buffers": True,
        "frozen": True,
        "missing_gradients": True,
        "traffic": True,
        **CHECKPOINTS,
    }

    settings = {"parameters_as_bucket_view": ["off", "on"], "gradient_as_bucket_view": ["off", "on"]}

    def make_optimizer(self, groups, optimizer_class, defaults):
        in_buckets = self.setting("parameters_as_bucket_view") == "on"
        return ZeroRedundancyOptimizer(
            groups, optimizer_class=optimizer_class, parameters_as_bucket_view=in_buckets, **defaults
        )

    def model_options(self):
        return {"gradient_as_bucket_view": self.setting("gradient_as_bucket_view") == "on"}


run(TorchZero1())
