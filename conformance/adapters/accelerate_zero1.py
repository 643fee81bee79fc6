"""accelerate around torch's ZeRO-1: it prepares model and optimizer, divides the loss by the micro-batches, leaves out
the reduction before the last one, and clips. The loop is the one of its documentation.
"""

import os

import zerocts_torch  # noqa: F401  before torch
import accelerate
from accelerate.state import AcceleratorState, GradientState
from accelerate.utils import DistributedDataParallelKwargs
from torch.distributed.optim import ZeroRedundancyOptimizer

from zerocts_rank import run
from zerocts_torch import device
from zerocts_torch.capabilities import CHECKPOINTS
from zerocts_torch.tensor_sharded import TensorSharded


class AccelerateZero1(TensorSharded):
    name, version = "accelerate-zero1", accelerate.__version__
    description = f"accelerate's accumulate() around ZeroRedundancyOptimizer, {device.BACKEND}"
    capabilities = {
        **TensorSharded.capabilities,
        "world_sizes": [1, 64],
        "ranks_as_threads": False,  # accelerate keeps its state for the process
        "tied": True,
        "buffers": True,
        "traffic": True,
        **CHECKPOINTS,
    }

    def make_optimizer(self, groups, optimizer_class, defaults):
        return ZeroRedundancyOptimizer(groups, optimizer_class=optimizer_class, **defaults)

    def make_model(self, probe):
        case, ranks = self.case, str(self.host.world_size)
        os.environ.update(
            RANK=str(self.host.rank), LOCAL_RANK=str(self.host.rank), WORLD_SIZE=ranks, LOCAL_WORLD_SIZE=ranks
        )
        os.environ.update(OMP_NUM_THREADS="1", MASTER_ADDR="127.0.0.1")
        AcceleratorState._reset_state(reset_partial_state=True)  # which it keeps from case to case
        GradientState._reset_state()
        bucket = {"bucket_cap_mb": case.bucket_cap_bytes / 2**20} if case.bucket_cap_bytes else {}
        self.accelerator = accelerate.Accelerator(
            cpu=True,
            device_placement=False,  # else it asks the sharded optimizer for a whole state
            gradient_accumulation_steps=case.micro_batches,
            kwargs_handlers=[DistributedDataParallelKwargs(find_unused_parameters=case.misses_gradients, **bucket)],
        )
        model, self.prepared = self.accelerator.prepare(probe, self.optimizer)
        return model

    def forward_backward(self, micro_batch, *inputs):
        if micro_batch == 0:
            self.prepared.zero_grad()
        with self.accelerator.accumulate(self.model):
            loss = self.model(*inputs)
            self.host.progress("backward")
            self.accelerator.backward(loss)
            if micro_batch < self.case.micro_batches - 1:  # accelerate leaves both out
                self.prepared.step()
                self.prepared.zero_grad()
        return loss

    def clip_by(self, norm_type, parameters):
        return self.accelerator.clip_grad_norm_(parameters, self.case.max_norm, norm_type)

    def update(self):
        self.prepared.step()


run(AccelerateZero1())
