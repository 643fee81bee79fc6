"""fairscale: OSS shards the optimizer by tensors; gradients are reduced by DistributedDataParallel (--oss) or, each to
its owner, by ShardedDataParallel (--sharded-ddp).
"""

import argparse

import zerocts_torch  # noqa: F401  before torch
import fairscale
from fairscale.nn.data_parallel import ShardedDataParallel
from fairscale.optim import OSS

from zerocts_rank import run
from zerocts_torch import device
from zerocts_torch.capabilities import CHECKPOINTS
from zerocts_torch.tensor_sharded import TensorSharded


class FairscaleOss(TensorSharded):
    name, version = "fairscale-oss", fairscale.__version__
    description = f"DistributedDataParallel with OSS, {device.BACKEND}"
    capabilities = {**TensorSharded.capabilities, "traffic": True, **CHECKPOINTS}

    def make_optimizer(self, groups, optimizer_class, defaults):
        """The optimizer of the groups that have parameters: OSS.step raises IndexError where the first has none."""
        self.kept = [g for g, group in enumerate(groups) if group["params"]]
        return OSS([groups[g] for g in self.kept], optim=optimizer_class, **defaults)


class FairscaleShardedDdp(FairscaleOss):
    """A gradient is there on its owner only, so the norm over all is OSS's own, whose formula nobody declares yet. A
    parameter without elements ends in an AssertionError ("Cannot add a gradient to a collapsed bucket").
    """

    name = "fairscale-sharded-ddp"
    description = f"ShardedDataParallel with OSS, {device.BACKEND}"
    capabilities = {
        **TensorSharded.capabilities,
        "bucket_cap_bytes": False,
        "clip": False,
        "shapes": ["scalar"],
        "ranks_as_threads": False,
    }

    def make_model(self, probe):
        return ShardedDataParallel(probe, self.optimizer)


parser = argparse.ArgumentParser(description=__doc__)
which = parser.add_mutually_exclusive_group(required=True)
which.add_argument("--oss", action="store_const", const=FairscaleOss, dest="subject")
which.add_argument("--sharded-ddp", action="store_const", const=FairscaleShardedDdp, dest="subject")
run(parser.parse_args().subject())
