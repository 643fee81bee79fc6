"""DeepSpeed's engine. --stage 0 replicates, 1 shards the optimizer, 2 gradients too, 3 parameters too. With --bf16
stage 1 is BF16_Optimizer, which DeepSpeed takes when gradients of bf16 parameters are added in fp32.
"""

import argparse
import os
import sys

import zerocts_torch  # noqa: F401  before torch
from zerocts_torch import device

os.environ["DS_ACCELERATOR"] = device.KIND
import deepspeed  # noqa: E402
import torch  # noqa: E402
import torch._inductor.compile_fx  # noqa: E402  the first engine would; here it is imported before ranks are forked

from zerocts_rank import INVALID_ARGUMENT, Bytes, Refused, StepResult, run  # noqa: E402
from zerocts_torch import (  # noqa: E402
    deepspeed_checkpoint,
    deepspeed_clip,
    deepspeed_config,
    deepspeed_settings,
    deepspeed_shards,
    optimizers,
    roles,
)
from zerocts_torch.capabilities import CHECKPOINTS, PROBED  # noqa: E402
from zerocts_torch.models import model_of  # noqa: E402
from zerocts_torch.probe import Probe  # noqa: E402
from zerocts_torch.storage import state_tensors, storage_bytes  # noqa: E402
from zerocts_torch.subject import TorchSubject, as_array  # noqa: E402

sys.modules["deepspeed.comm.torch"].build_shm_op = lambda: (
    None
)  # it would compile for half a minute and leave segments in /dev/shm
norm_of_stage_0 = deepspeed_clip.keep_norms_of_stage_0()

PARAM_DTYPES = {"deepspeed-0": ["fp32"], "deepspeed-1": ["fp32"], "deepspeed-1-bf16": ["bf16"]}  # the others: both


class DeepspeedZero(TorchSubject):
    version = deepspeed.__version__
    description = f"deepspeed.initialize with torch's optimizers, {device.BACKEND}"
    open_settings = ("ds.PATH=VALUE of DeepSpeed's configuration (ds.zero_optimization.overlap_comm=true)",)

    def __init__(self, stage, bf16):
        super().__init__()
        self.stage = stage
        self.name = f"deepspeed-{stage}" + ("-bf16" if bf16 else "")
        self.clip_formula = deepspeed_clip.formula_of(self.name, device.KIND)
        self.capabilities = {
            **PROBED,
            "stages": [stage],
            "param_dtypes": PARAM_DTYPES.get(self.name, ["fp32", "bf16"]),
            "world_sizes": [1, 64],
            "bucket_cap_bytes": stage > 0,
            # Stages 2 and 3 round the mean of bf16 gradients, which no order says.
            **({"ordered_dtypes": ["fp32"], "gradient_sync": ["every_micro_batch"]} if stage > 1 else {}),
            "clip_formulas": [self.clip_formula],
            "tied": True,
            "buffers": True,
            "frozen": stage == 0,
            "shapes": ["empty"] if stage < 3 else [],
            "optimizer_slack_bytes": 4096,  # padding of flat groups, or of each parameter in stage 3; step counts
            **CHECKPOINTS,
            "checkpoint_reshard": stage == 0,
        }

    def takes_setting(self, name):
        if not name.startswith(deepspeed_settings.PREFIX):
            return False
        if refusal := deepspeed_settings.refusal(name.removeprefix(deepspeed_settings.PREFIX)):
            raise Refused(INVALID_ARGUMENT, f"option {name}: {refusal}")
        return True

    def build(self, initial):
        case, host = self.case, self.host
        ranks = str(host.world_size)
        os.environ.update(
            RANK=str(host.rank), LOCAL_RANK=str(self.device.local_rank), WORLD_SIZE=ranks, LOCAL_SIZE=ranks
        )
        self.tensors = roles.tensors_of(case, [self._as_made_by_torch(p, values) for p, values in enumerate(initial)])
        model = model_of(case, self.tensors) if case.trains_model else self._probe()
        optimizer = optimizers.CLASSES[case.optimizer](
            self._groups_with_elements(getattr(model, "anchor", None)), **optimizers.defaults(case)
        )
        self.kept = [
            g for g, group in enumerate(optimizer.param_groups) if group["params"]
        ]  # DeepSpeed takes the others out of the optimizer
        self._forget_groups()
        deepspeed.init_distributed(device.BACKEND, verbose=False)
        config = deepspeed_settings.applied(deepspeed_config.of(case, self.stage), host.options)
        self.engine, self.optimizer, _, _ = deepspeed.initialize(model=model, optimizer=optimizer, config=config)
        self.shards = deepspeed_shards.OF_SUBJECT[self.name](self.engine)
        if case.precision == "bf16":
            self._set_masters(initial)

    def _probe(self):
        return Probe(
            dict(enumerate(self.tensors)),
            self.case.curvature,
            anchored=self.case.freezes or not any(tensor.numel() for tensor in self.tensors),
            device=self.device.name,
        )

    def _set_masters(self, initial):
        """DeepSpeed makes them of the bf16 parameters."""
        for p, tensor in enumerate(self.tensors):
            if self.owned(p):
                self.shards.set_master(tensor, initial[p])

    def _groups_with_elements(self, anchor):
        """Stages 1 and 2 end in an IndexError where a group has parameters but no elements, or no group has any."""
        groups = optimizers.parameter_groups(self.case, self.tensors)
        groups = [
            {**group, "params": group["params"] if any(tensor.numel() for tensor in group["params"]) else []}
            for group in groups
        ]
        return groups + ([] if anchor is None else [{"params": [anchor]}])

    def _as_made_by_torch(self, p, values):
        """from_numpy gives tensors without elements another stride. DeepSpeed leaves buffers as they are."""
        is_bf16_buffer = self.case.parameters[p].is_buffer and self.case.precision == "bf16"
        return values.new_zeros(values.shape, dtype=torch.bfloat16 if is_bf16_buffer else torch.float32).copy_(values)

    def _forget_groups(self):
        """DeepSpeed keeps process groups over engines; when torch's were made anew its are of no use."""
        world = torch.distributed.group.WORLD
        if getattr(self, "world", world) is not world:
            kept = vars(deepspeed.utils.groups)
            kept.update(
                {name: None for name, value in kept.items() if isinstance(value, torch.distributed.ProcessGroup)}
            )
            deepspeed.comm.comm.cdb = None
        self.world = world

    @staticmethod
    def _forget_modules():
        """DeepSpeed keeps the model of every engine of stage 3, and with it the engine, also when it is destroyed."""
        sys.modules["deepspeed.runtime.zero.parameter_offload"].FWD_MODULE_STACK.clear()

    def forward_backward(self, micro_batch, *inputs):
        loss = self.engine(*inputs)
        self.host.progress("backward")
        self.engine.backward(loss)
        if micro_batch < self.case.micro_batches - 1:
            self.engine.step()  # counts the micro-batch
        return loss

    def step(self, step):
        self.calls.step()
        if self.case.observes("gradient"):
            self.mean = {p: as_array(self.shards.gradient(self.tensors[p])) for p in self._updated(step)}
        self.host.progress("engine.step")
        self.engine.step()
        if self.case.max_norm == 0:
            return StepResult()
        norm = norm_of_stage_0.value if self.stage == 0 else self.engine.get_global_grad_norm()
        return deepspeed_clip.result(self.clip_formula, norm, self.case.max_norm)

    def _updated(self, step):
        return [p for p in range(len(self.tensors)) if self.case.is_updated(p, step) and self.owned(p)]

    def set_group(self, group, values):
        if group in self.kept:
            self.set_options(self.optimizer.param_groups[self.kept.index(group)], values)

    def set_frozen(self, p, frozen):
        self.tensors[p].requires_grad_(not frozen)

    def save(self, folder):
        deepspeed_checkpoint.save(self.engine, folder, roles.frozen_of(self.case, self.tensors))

    def load(self, folder):
        for p in deepspeed_checkpoint.load(self.engine, folder):
            self.set_frozen(p, True)

    def parameter(self, p):
        if self.case.parameters[p].is_buffer:
            return as_array(self.engine.module.get_buffer(f"buffer{p}"))
        return as_array(self.shards.whole(self.tensors[p]))

    def owned(self, p):
        begin, end = self.shards.interval(self.tensors[p]) if self.case.has_state(p) else (0, 0)
        return [(begin, end)] if begin < end else []

    def state(self, name, p, begin, end):
        first = self.shards.interval(self.tensors[p])[0]
        shard = self.mean[p] if name == "gradient" else as_array(self.shards.state(name, self.tensors[p]))
        return shard[begin - first : end - first]

    def memory(self):
        inner = getattr(self.optimizer, "optimizer", self.optimizer)
        parameters = roles.parameters_of(self.case, self.tensors)
        shards = [tensor.ds_tensor for tensor in parameters] if self.stage == 3 else parameters
        own = {tensor.untyped_storage().data_ptr() for tensor in shards}
        return Bytes(
            parameter=storage_bytes(shards),
            gradient=storage_bytes([*(tensor.grad for tensor in parameters), *self._sums()]),
            buffer=storage_bytes(self.engine.module.buffers()),
            optimizer=storage_bytes(state_tensors(inner))
            + storage_bytes(
                tensor for tensor in self.shards.masters() if tensor.untyped_storage().data_ptr() not in own
            ),
        )

    def _sums(self):
        """The sums of gradients that BF16_Optimizer keeps between steps."""
        return getattr(self.optimizer, "fp32_groups_gradients_flat", [])

    def close(self):
        super().close()
        if getattr(self, "engine", None):
            self.engine.destroy()
            self._forget_modules()
        self.engine = self.optimizer = self.shards = self.tensors = None


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--stage", type=int, choices=[0, 1, 2, 3], required=True)
parser.add_argument("--bf16", action="store_true", help="stage 1: of bf16 parameters")
run(DeepspeedZero(**vars(parser.parse_args())))
