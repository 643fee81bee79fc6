"""torch's ZeRO-1: DistributedDataParallel reduces the gradients, ZeroRedundancyOptimizer shards the optimizer by
tensors.
"""

import zerocts_torch  # noqa: F401  before torch
from torch.distributed.optim import ZeroRedundancyOptimizer

from zerocts_rank import run
from zerocts_torch import device
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
        "checkpoint": True,
        "checkpoint_reshard": True,
    }

    def make_optimizer(self, groups, optimizer_class, defaults):
        return ZeroRedundancyOptimizer(groups, optimizer_class=optimizer_class, **defaults)


run(TorchZero1())
