"""torch's parallelize_module: linear layers are column- and row-parallel in turn, the embedding is replicated. Data
ranks add gradients by an all_reduce; with --fsdp2 fully_shard shards the parts among them.
"""

import argparse

import zerocts_torch  # noqa: F401  before torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Replicate, distribute_module
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

from zerocts_rank import run
from zerocts_torch import device, optimizers, roles
from zerocts_torch.capabilities import TRAINED_BY_TORCH
from zerocts_torch.meshes import Meshes
from zerocts_torch.models import model_of
from zerocts_torch.subject import TorchSubject, as_array
from zerocts_torch.tensor_part import intervals_of, local, offset_in

DATA, TENSOR = "data", "tensor"


def plan_of(layers):
    """By the names of layers, first to last. What is between a column- and a row-parallel layer stays a DTensor: of a
    plain tensor torch takes it that every rank has as many columns.
    """
    styles = [
        RowwiseParallel() if index % 2 else ColwiseParallel(use_local_output=False) for index in range(len(layers))
    ]
    if isinstance(styles[-1], ColwiseParallel):
        styles[-1] = ColwiseParallel(output_layouts=Replicate())
    return dict(zip(layers, styles))


def replicate(module, mesh):
    """Its parameters are DTensors as those of the layers are, so that one norm counts them all."""
    distribute_module(
        module,
        mesh,
        input_fn=lambda _, inputs, on: DTensor.from_local(inputs[0], on, [Replicate()], run_check=False),
        output_fn=lambda _, output, on: output.to_local(),
    )


def part_of_gradient(tensor):
    """The gradient of this rank's part of the tensor; that of a layer of fewer columns than ranks is whole on each."""
    return tensor.grad.redistribute(placements=tensor.placements).to_local()


class TorchTensorParallel(TorchSubject):
    def __init__(self, fsdp2):
        super().__init__()
        self.fsdp2, self.meshes = fsdp2, Meshes()
        self.name = "torch-tp-fsdp2" if fsdp2 else "torch-tp"
        self.description = f"parallelize_module{' inside fully_shard' if fsdp2 else ''}, {device.BACKEND}"
        self.capabilities = {
            **TRAINED_BY_TORCH,
            "models": ["mlp"],
            "kv_heads": False,
            "stages": [3 if fsdp2 else 0],
            "param_dtypes": ["fp32"],
            "world_sizes": [2, 64],
            "tensor_parallel": [2, 3, 4],
            "tensor_parts": ["ceil"],
            "gradient_sync": ["last_micro_batch", "every_micro_batch"] if fsdp2 else ["last_micro_batch"],
            "clip_norms": ["2", "1", "inf"],
            "clip_formulas": ["torch"],
        }

    def build(self, initial):
        self.mesh = self.meshes.of(self.device.kind, **{DATA: self.case.data_ranks, TENSOR: self.case.tensor})
        self.model = model_of(self.case, roles.tensors_of(self.case, initial))
        embedding, *layers = [name for name, _ in self.model.named_children()]
        parallelize_module(self.model, self.mesh[TENSOR], plan_of(layers))
        replicate(getattr(self.model, embedding), self.mesh[TENSOR])
        if self.fsdp2:
            for module in [*self.model.units, self.model]:
                fully_shard(module, mesh=self.mesh[DATA])
        self.optimizer = optimizers.optimizer_of(self.case, self.tensors())

    def abandon(self):
        super().abandon()
        self.meshes.forget()

    def tensor(self, p):
        """A DTensor, as it is now."""
        return self.model.tensor(self.case.parameters[p].name)

    def tensors(self):
        """In the order of the case."""
        return [self.tensor(p) for p in range(len(self.case.parameters))]

    def parameters(self):
        return self.tensors()

    def forward_backward(self, micro_batch, *inputs):
        if micro_batch == 0:
            self.optimizer.zero_grad()
        is_last = micro_batch == self.case.micro_batches - 1
        if self.fsdp2:
            self.model.set_requires_gradient_sync(is_last or self.case.gradient_sync == "every_micro_batch")
        loss = self.model(*inputs)
        self.host.progress("backward")
        (loss / self.case.micro_batches).backward()
        return loss

    def add_over_data_ranks(self):
        """DistributedDataParallel hides DTensors from optimizers, so a trainer does it."""
        for tensor in self.tensors():
            part = tensor.grad.to_local()
            dist.all_reduce(part, group=self.mesh.get_group(DATA))
            part /= self.case.data_ranks

    def step(self, step):
        self.calls.step()
        if not self.fsdp2 and self.case.data_ranks > 1:
            self.add_over_data_ranks()
        if self.case.observes("gradient"):
            self.mean = [as_array(part_of_gradient(tensor)) for tensor in self.tensors()]
        result = self.clip(self.parameters())
        self.optimizer.step()
        return result

    def set_group(self, group, values):
        self.set_options(self.optimizer.param_groups[group], values)

    def read_parameters(self, order):
        """As forward would see them: unit by unit, the parts of all tensor ranks together."""
        units = [*self.model.units, self.model] if self.fsdp2 else []
        for unit in units:
            unit.unshard()
        for p in order:
            yield as_array(self.tensor(p).full_tensor().clone())  # storage that numpy has seen cannot be freed
        for unit in units:
            unit.reshard()

    def owned(self, p):
        return intervals_of(self.tensor(p))

    def state(self, name, p, begin, end):
        tensor = self.tensor(p)
        offset = offset_in(intervals_of(tensor), begin)
        return self._held(name, p, tensor)[offset : offset + end - begin]

    def _held(self, name, p, tensor):
        if name == "gradient":
            return self.mean[p]
        if name == "master":
            return as_array(local(tensor))
        return as_array(local(optimizers.state_of(self.optimizer.state.get(tensor, {}), name, local(tensor))))

    def close(self):
        super().close()
        self.model = self.optimizer = self.mesh = None


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--fsdp2", action="store_true", help="shard the parts over data ranks by fully_shard")
run(TorchTensorParallel(fsdp2=parser.parse_args().fsdp2))
