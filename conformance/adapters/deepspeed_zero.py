"""DeepSpeed's engine on the CPU over gloo. --stage 0 replicates, 1 shards the optimizer, 2 gradients too, 3 parameters too."""
import argparse
import gc
import os
import sys

import zerocts_torch  # before torch

os.environ["DS_ACCELERATOR"] = "cpu"
import deepspeed  # noqa: E402
import torch  # noqa: E402
from deepspeed.utils import safe_get_local_fp32_param, safe_get_local_optimizer_state  # noqa: E402

from zerocts_rank import Bytes, run  # noqa: E402
from zerocts_torch import deepspeed_faults, optimizers  # noqa: E402,F401
from zerocts_torch.models import MODELS, model_of  # noqa: E402
from zerocts_torch.probe import LinearProbe  # noqa: E402
from zerocts_torch.storage import state_tensors, storage_bytes  # noqa: E402
from zerocts_torch.subject import TorchSubject, as_array  # noqa: E402

sys.modules["deepspeed.comm.torch"].build_shm_op = lambda: None  # it would compile for half a minute and leave segments in /dev/shm

FP32_BYTES = 4
BUCKET_ELEMENTS = 2**20  # its own 5e8 would be 2 GB, filled with NaN in every case


class DeepspeedZero(TorchSubject):
    version = deepspeed.__version__
    description = "deepspeed.initialize with torch's optimizers, gloo"

    def __init__(self, stage):
        super().__init__()
        self.stage = stage
        self.name = f"deepspeed-{stage}"
        self.capabilities = {
            "stages": [stage], "param_dtypes": ["fp32"], "optimizers": ["sgd", "adamw", "adam"], "world_sizes": [1, 64],
            "bucket_cap_bytes": stage > 0, "accumulation": True, "groups": True, "set_group": True,
            "states": ["master", "momentum", "exp_avg", "exp_avg_sq"], "sgd_variants": True, "shapes": [],
            "optimizer_slack_bytes": 4096,  # padding of flat groups, or of each parameter in stage 3; step counts
            "models": list(MODELS), "inexact_models": True, "formulas": optimizers.formulas()}

    def build(self, initial):
        case, host = self.case, self.host
        os.environ.update(RANK=str(host.rank), LOCAL_RANK=str(host.rank), WORLD_SIZE=str(host.world_size), LOCAL_SIZE=str(host.world_size))
        self.tensors = [torch.nn.Parameter(tensor) for tensor in initial]
        model = model_of(case, self.tensors) if case.trains_model else LinearProbe(dict(enumerate(self.tensors)))
        optimizer = optimizers.CLASSES[case.optimizer](optimizers.parameter_groups(case, self.tensors), **optimizers.defaults(case))
        self.groups = list(optimizer.param_groups)  # DeepSpeed takes those without parameters out of the optimizer
        self._forget_groups()
        deepspeed.init_distributed("gloo", verbose=False)
        self.engine, self.optimizer, _, _ = deepspeed.initialize(model=model, optimizer=optimizer, config={
            "train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": case.micro_batches, "gradient_clipping": 0.0,
            "zero_allow_untested_optimizer": True, "zero_force_ds_cpu_optimizer": False, "steps_per_print": 10**9,
            "zero_optimization": {"stage": self.stage, "overlap_comm": False, "stage3_param_persistence_threshold": 0,
                                  "reduce_bucket_size": case.bucket_cap_bytes // FP32_BYTES or BUCKET_ELEMENTS}})

    def _forget_groups(self):
        """DeepSpeed keeps process groups over engines; when torch's were made anew its are of no use."""
        world = torch.distributed.group.WORLD
        if getattr(self, "world", world) is not world:
            kept = vars(deepspeed.utils.groups)
            kept.update({name: None for name, value in kept.items() if isinstance(value, torch.distributed.ProcessGroup)})
            deepspeed.comm.comm.cdb = None
        self.world = world

    def forward_backward(self, micro_batch, *inputs):
        loss = self.engine(*inputs)
        self.host.progress("backward")
        self.engine.backward(loss)
        if micro_batch < self.case.micro_batches - 1:
            self.engine.step()  # counts the micro-batch
        return loss

    def step(self, step):
        self.host.progress("engine.step")
        self.engine.step()

    def set_group(self, group, values):
        self.set_options(self.groups[group], values)

    def parameter(self, p):
        if self.stage < 3:
            return as_array(self.tensors[p])
        with deepspeed.zero.GatheredParameters([self.tensors[p]]):
            return as_array(self.tensors[p])

    def owned(self, p):
        begin, end = self._interval(p)
        return [(begin, end)] if begin < end else []

    def _interval(self, p):
        tensor = self.tensors[p]
        if self.stage == 0:
            return 0, tensor.numel()
        if self.stage == 3:
            numel = tensor.ds_tensor.ds_numel
            begin = min(self.host.rank * numel, tensor.ds_numel)
            return begin, min(begin + numel, tensor.ds_numel)
        fragment = tensor._hp_mapping.lp_fragment_address if tensor._hp_mapping else None
        return (fragment.start, fragment.start + fragment.numel) if fragment else (0, 0)

    def state(self, name, p, begin, end):
        first = self._interval(p)[0]
        return as_array(self._shard(name, self.tensors[p]))[begin - first:end - first]

    def _shard(self, name, tensor):
        """This rank's elements, padding behind them."""
        if self.stage == 0:
            return tensor if name == "master" else optimizers.state_of(self.engine.optimizer.state.get(tensor, {}), name, tensor)
        key = None if name == "master" else optimizers.STATE_KEYS[name]
        if self.stage == 3:
            master = safe_get_local_fp32_param(tensor)
            try:
                return master if key is None else safe_get_local_optimizer_state(tensor, key)
            except KeyError:  # the optimizer has none yet
                return torch.zeros_like(master)
        return tensor._hp_mapping.hp_fragment if key is None else self._flat_state(key, tensor)

    def _flat_state(self, key, tensor):
        """From the flat tensor of its group: safe_get_full_optimizer_state knows those of the first group only, since DeepSpeed links states
        once, after the first group has stepped."""
        zero, address = self.engine.optimizer, tensor._hp_mapping.get_hp_fragment_address()
        group = next(i for i, tensors in enumerate(zero.bit16_groups) if any(tensor is other for other in tensors))
        flat = zero.optimizer.state[zero.single_partition_of_fp32_groups[group]].get(key)
        return torch.zeros(address.numel) if flat is None else flat.narrow(0, address.start, address.numel)

    def memory(self):
        inner = getattr(self.optimizer, "optimizer", self.optimizer)
        shards = [tensor.ds_tensor for tensor in self.tensors] if self.stage == 3 else self.tensors
        masters = [tensor for group in inner.param_groups for tensor in group["params"]]
        own = {tensor.untyped_storage().data_ptr() for tensor in shards}
        return Bytes(parameter=storage_bytes(shards), gradient=storage_bytes(tensor.grad for tensor in self.tensors),
                     optimizer=storage_bytes(state_tensors(inner)) +
                     storage_bytes(tensor for tensor in masters if tensor.untyped_storage().data_ptr() not in own))

    def close(self):
        if getattr(self, "engine", None):
            self.engine.destroy()
        self.engine = self.optimizer = self.tensors = None


gc.freeze()  # DeepSpeed collects garbage for each engine of stage 3, and what was imported is none

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--stage", type=int, choices=[0, 1, 2, 3], required=True)
run(DeepspeedZero(parser.parse_args().stage))
