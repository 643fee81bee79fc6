"""torch's FullyShardedDataParallel (FSDP1): the parameters of a unit stand behind each other in one flat parameter,
which is cut into a range of elements per rank.
"""

import contextlib
import pathlib

import zerocts_torch  # noqa: F401  before torch
import torch
from torch.distributed.fsdp import (
    FullOptimStateDictConfig,
    FullStateDictConfig,
    FullyShardedDataParallel,
    ShardingStrategy,
    StateDictType,
)

from zerocts_rank import Bytes, run
from zerocts_torch import device, optimizers, roles
from zerocts_torch.capabilities import FSDP
from zerocts_torch.models import model_in_units
from zerocts_torch.storage import state_tensors, storage_bytes
from zerocts_torch.subject import TorchSubject, as_array

STRATEGIES = {"full_shard": ShardingStrategy.FULL_SHARD, "shard_grad_op": ShardingStrategy.SHARD_GRAD_OP}


class TorchFsdp1(TorchSubject):
    name = "torch-fsdp1"
    description = f"FullyShardedDataParallel with use_orig_params, unit by unit, {device.BACKEND}"
    settings = {"sharding_strategy": list(STRATEGIES)}
    capabilities = {**FSDP, "param_dtypes": ["fp32"], "clip_norms": ["2", "1"], "granularity": "element"}

    def build(self, initial):
        self.tensors = roles.tensors_of(self.case, initial)
        self.model = self._wrapped(model_in_units(self.case, self.tensors, self.device.name))
        self.optimizer = optimizers.optimizer_of(self.case, self.tensors)
        self.ranges = self._ranges()

    def _wrapped(self, model):
        how = {
            "sharding_strategy": STRATEGIES[self.setting("sharding_strategy")],
            "use_orig_params": True,
            "device_id": torch.device(self.device.name),
        }
        for name, unit in list(model.named_modules()):
            if unit in model.units:
                parent, _, own = name.rpartition(".")
                setattr(model.get_submodule(parent), own, FullyShardedDataParallel(unit, **how))
        return FullyShardedDataParallel(model, **how)

    def _ranges(self):
        """[begin, end) of the elements that this rank owns, by id of the parameter."""
        ranges = {}
        for module in FullyShardedDataParallel.fsdp_modules(self.model):
            handle = module._handle
            if handle is None:
                continue
            for tensor, shard in zip(handle.flat_param._params, handle.flat_param._shard_param_infos):
                if not handle.uses_sharded_strategy:
                    ranges[id(tensor)] = (0, tensor.numel())
                elif shard.in_shard:
                    ranges[id(tensor)] = (shard.intra_param_start_idx, shard.intra_param_end_idx + 1)
        return ranges

    def parameters(self):
        return roles.parameters_of(self.case, self.tensors)

    def forward_backward(self, micro_batch, *inputs):
        if micro_batch == 0:
            self.optimizer.zero_grad()
        is_last = micro_batch == self.case.micro_batches - 1
        syncs = is_last or self.case.gradient_sync == "every_micro_batch"
        with contextlib.nullcontext() if syncs else self.model.no_sync():
            loss = self.model(*inputs)
            self.host.progress("backward")
            (loss / self.case.micro_batches).backward()
        return loss

    def step(self, step):
        self.calls.step()
        if self.case.observes("gradient"):
            self.mean = {p: self._gradient_of(p) for p in range(len(self.case.parameters)) if self.case.has_state(p)}
        result = self.clip(self.parameters())
        self.optimizer.step()
        return result

    def _gradient_of(self, p):
        """NaN where backward left none: it should have."""
        tensor = self.tensors[p]
        return as_array(torch.full_like(tensor, torch.nan) if tensor.grad is None else tensor.grad)

    def clip_by(self, norm_type, parameters):
        return self.model.clip_grad_norm_(self.case.max_norm, norm_type)

    def set_group(self, group, values):
        self.set_options(self.optimizer.param_groups[group], values)

    def save(self, folder):
        with self._full_state():
            state = {
                "model": self.model.state_dict(),
                "optimizer": FullyShardedDataParallel.optim_state_dict(self.model, self.optimizer),
            }
        if self.host.rank == 0:
            torch.save(state, self._file(folder))

    def load(self, folder):
        saved = torch.load(self._file(folder))
        with self._full_state():
            self.model.load_state_dict(saved["model"])
            state = FullyShardedDataParallel.optim_state_dict_to_load(self.model, self.optimizer, saved["optimizer"])
        self.optimizer.load_state_dict(state)

    def _full_state(self):
        """torch's default moves the optimizer's states to the CPU, and takes those of a CPU for one another."""
        return FullyShardedDataParallel.state_dict_type(
            self.model,
            StateDictType.FULL_STATE_DICT,
            FullStateDictConfig(offload_to_cpu=False),
            FullOptimStateDictConfig(offload_to_cpu=False),
        )

    @staticmethod
    def _file(folder):
        return pathlib.Path(folder) / "state.pt"

    def read_parameters(self, order):
        with FullyShardedDataParallel.summon_full_params(self.model, writeback=False):
            for p in order:
                yield as_array(self.tensors[p].clone())

    def owned(self, p):
        return [self.ranges[id(self.tensors[p])]] if id(self.tensors[p]) in self.ranges else []

    def state(self, name, p, begin, end):
        tensor, first = self.tensors[p], self.owned(p)[0][0]
        if name == "gradient":
            return self.mean[p][begin - first : end - first]
        held = tensor if name == "master" else optimizers.state_of(self.optimizer.state.get(tensor, {}), name, tensor)
        return as_array(held)[begin - first : end - first]

    def memory(self):
        parameters = self.parameters()
        return Bytes(
            parameter=storage_bytes(parameters),
            buffer=storage_bytes(roles.buffers_of(self.case, self.tensors)),
            gradient=storage_bytes(tensor.grad for tensor in parameters),
            optimizer=storage_bytes(state_tensors(self.optimizer)),
        )

    def close(self):
        super().close()
        self.model = self.optimizer = self.tensors = None


run(TorchFsdp1())
