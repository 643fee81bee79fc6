"""torch's fully_shard (FSDP2): parameters, gradients and optimizer state are sharded by rows. --no-reshard keeps
parameters between forward and backward, as stage 2 does; between steps it holds its shards alone, as stage 3 does.
"""

import argparse
import contextlib
import json
import math
import pathlib

import zerocts_torch  # noqa: F401  before torch
import torch
import torch.distributed.checkpoint as checkpoint
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import (
    apply_activation_checkpointing,
    checkpoint_wrapper,
)
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.fsdp import CPUOffloadPolicy, MixedPrecisionPolicy, OffloadPolicy, fully_shard
from torch.distributed.tensor import DTensor
from torch.distributed.tensor._utils import compute_local_shape_and_global_offset

from zerocts_rank import Bytes, run
from zerocts_torch import device, optimizers, roles
from zerocts_torch.capabilities import FSDP
from zerocts_torch.meshes import Meshes
from zerocts_torch.models import model_in_units
from zerocts_torch.storage import state_tensors, storage_bytes
from zerocts_torch.subject import TorchSubject, as_array


def shard_of(tensor):
    """A DTensor's; any other tensor is whole on each rank."""
    return tensor.to_local() if isinstance(tensor, DTensor) else tensor


def shard_of_gradient(tensor):
    """NaN where backward left none: it should have."""
    shard = torch.full_like(tensor.to_local(), torch.nan) if tensor.grad is None else tensor.grad.to_local()
    return as_array(shard)


@contextlib.contextmanager
def checkpoint_errors():
    """CheckpointException is no Exception."""
    try:
        yield
    except checkpoint.CheckpointException as failed:
        raise RuntimeError(str(failed).strip().splitlines()[-1]) from failed


class TorchFsdp2(TorchSubject):
    description = f"fully_shard, unit by unit, {device.BACKEND}"
    settings = {
        "recompute": ["off", "on"],
        "offload_policy": ["none", "cpu"],
        "forward_prefetch": ["off", "on"],
        "backward_prefetch": ["off", "on"],
        "force_sum_reduction": ["off", "on"],
    }

    def __init__(self, reshard):
        super().__init__()
        self.reshard, self.meshes = reshard, Meshes()
        self.name = "torch-fsdp2" if reshard else "torch-fsdp2-noreshard"
        self.capabilities = {
            **FSDP,
            "param_dtypes": ["fp32", "bf16"],
            "replicas": True,
            "clip_norms": ["2", "1", "inf"],
            "tied": True,
            "frozen": True,
            "granularity": "row",
            "traffic": True,
        }

    def build(self, initial):
        tensors = roles.tensors_of(self.case, initial)
        self.model = model_in_units(self.case, tensors, self.device.name)
        self._wrap()
        self.optimizer = optimizers.optimizer_of(self.case, self.tensors())

    def _wrap(self):
        units = list(self.model.units)
        if self.setting("recompute") == "on":
            apply_activation_checkpointing(self.model, checkpoint_wrapper, check_fn=lambda module: module in units)
        how = {
            "mesh": self._mesh(),
            "reshard_after_forward": self.reshard,
            "mp_policy": self._precision(),
            "offload_policy": self._offload(),
        }
        for module in [*self.model.units, self.model]:
            fully_shard(module, **how)
        self._set_communication()

    def _mesh(self):
        """Hybrid shard where the case has replicas."""
        shards = self.host.world_size // self.case.replicas
        replicas = {"replicate": self.case.replicas} if self.case.replicas > 1 else {}
        return self.meshes.of(self.device.kind, **replicas, shard=shards)

    def abandon(self):
        super().abandon()
        self.meshes.forget()

    def _offload(self):
        if self.setting("offload_policy") == "none":
            return OffloadPolicy()
        return CPUOffloadPolicy(pin_memory=self.device.on_gpu)

    def _set_communication(self):
        units = self.model.units
        if self.setting("forward_prefetch") == "on":
            for unit, following in zip(units, list(units)[1:]):
                unit.set_modules_to_forward_prefetch([following])
        if self.setting("backward_prefetch") == "on":
            for unit, earlier in zip(list(units)[1:], units):
                unit.set_modules_to_backward_prefetch([earlier])
        if self.setting("force_sum_reduction") == "on":
            for module in [*units, self.model]:
                module.set_force_sum_reduction_for_comms(True)

    def _precision(self):
        """fp32 masters, sums and states; in a bf16 case what is gathered and each rank's gradients are bf16."""
        if self.case.precision == "fp32":
            return MixedPrecisionPolicy()
        return MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)

    def tensor(self, p):
        """A DTensor, or a buffer, as it is now."""
        return self.model.tensor(self.case.parameters[p].name if self.case.trains_model else p)

    def tensors(self):
        """In the order of the case."""
        return [self.tensor(p) for p in range(len(self.case.parameters))]

    def parameters(self):
        return roles.parameters_of(self.case, self.tensors())

    def forward_backward(self, micro_batch, *inputs):
        if micro_batch == 0:
            self.optimizer.zero_grad()
        is_last = micro_batch == self.case.micro_batches - 1
        self.model.set_requires_gradient_sync(is_last or self.case.gradient_sync == "every_micro_batch")
        loss = self.model(*inputs)
        self.host.progress("backward")
        (loss / self.case.micro_batches).backward()
        return loss

    def step(self, step):
        self.calls.step()
        if self.case.observes("gradient"):
            self.mean = {
                p: shard_of_gradient(self.tensor(p)) for p in range(len(self.case.parameters)) if self.case.has_state(p)
            }
        result = self.clip(self.parameters())
        self.optimizer.step()
        return result

    def set_group(self, group, values):
        self.set_options(self.optimizer.param_groups[group], values)

    def set_frozen(self, p, frozen):
        self.tensor(p).requires_grad_(not frozen)

    def save(self, folder):
        with checkpoint_errors():
            checkpoint.save(self._state(), checkpoint_id=folder)
        if self.host.rank == 0:
            self._trainers_file(folder).write_text(json.dumps(roles.frozen_of(self.case, self.tensors())))

    def load(self, folder):
        """Into a model that is frozen as the saved one was, which its trainer knows: a parameter that was never trained
        has no state to load.
        """
        for p in json.loads(self._trainers_file(folder).read_text()):
            self.set_frozen(p, True)
        state = self._state()
        with checkpoint_errors():
            checkpoint.load(state, checkpoint_id=folder)
        set_state_dict(self.model, self.optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"])

    def _state(self):
        """What a checkpoint holds; it is loaded in place."""
        model, optimizer = get_state_dict(self.model, self.optimizer)
        return {"model": model, "optimizer": optimizer}

    @staticmethod
    def _trainers_file(folder):
        return pathlib.Path(folder) / "trainer.json"

    def read_parameters(self, order):
        """As forward would see them: unit by unit, in the precision of compute."""
        units = [*self.model.units, self.model]
        for unit in units:
            unit.unshard()
        for p in order:
            is_rounded = self.case.parameters[p].is_buffer and self.case.precision == "bf16"
            yield as_array(
                self.tensor(p).bfloat16() if is_rounded else self.tensor(p).clone()
            )  # storage that numpy has seen cannot be freed
        for unit in units:
            unit.reshard()

    def owned(self, p):
        if not self.case.has_state(p):
            return []
        begin = self._first_element(p)
        numel = self.tensor(p).to_local().numel()
        return [(begin, begin + numel)] if numel else []

    def _first_element(self, p):
        tensor = self.tensor(p)
        _, offset = compute_local_shape_and_global_offset(tensor.shape, tensor.device_mesh, tensor.placements)
        return offset[0] * math.prod(tensor.shape[1:])

    def state(self, name, p, begin, end):
        tensor, first = self.tensor(p), self._first_element(p)
        if name == "gradient":
            return self.mean[p][begin - first : end - first]
        held = (
            tensor
            if name == "master"
            else optimizers.state_of(self.optimizer.state.get(tensor, {}), name, tensor.to_local())
        )
        return as_array(shard_of(held))[begin - first : end - first]

    def memory(self):
        """In a bf16 case the shards of parameters are the master weights, which count as optimizer state."""
        parameters = self.parameters()
        shards = storage_bytes(tensor.to_local() for tensor in parameters)
        is_master = self.case.precision == "bf16"
        return Bytes(
            parameter=0 if is_master else shards,
            buffer=storage_bytes(roles.buffers_of(self.case, self.tensors())),
            gradient=storage_bytes(tensor.grad.to_local() for tensor in parameters if tensor.grad is not None),
            optimizer=(shards if is_master else 0) + storage_bytes(map(shard_of, state_tensors(self.optimizer))),
        )

    def close(self):
        super().close()
        self.model = self.optimizer = None


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--no-reshard", action="store_true", help="keep parameters between forward and backward")
run(TorchFsdp2(reshard=not parser.parse_args().no_reshard))
