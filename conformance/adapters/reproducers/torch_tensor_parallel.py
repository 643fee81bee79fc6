# {shows: a model, tensor ranks}
"""{description}"""
import datetime
import os

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Replicate, distribute_module
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn import functional

# {case}


class Mlp(torch.nn.Module):
    """Embedding, (linear, GELU) per hidden layer, logits."""

    def __init__(self, tensors):
        super().__init__()
        embedding, *linear = tensors
        self.embedding = torch.nn.Embedding(*embedding.shape)
        self.embedding.weight = embedding
        for layer, (weight, bias) in enumerate(zip(linear[::2], linear[1::2])):
            module = torch.nn.Linear(weight.shape[1], weight.shape[0])
            module.weight, module.bias = weight, bias
            self.add_module(f"linear{layer}", module)

    def forward(self, inputs, targets):
        embedding, *hidden, logits = self.children()
        x = embedding(inputs).flatten(1)
        for layer in hidden:
            x = functional.gelu(layer(x), approximate="tanh")
        return functional.cross_entropy(logits(x), targets.flatten())


# {comparison}


# {start}


def styles(layers):
    """Column- and row-parallel in turn; between them is a DTensor."""
    every = [RowwiseParallel() if layer % 2 else ColwiseParallel(use_local_output=False) for layer in range(layers)]
    return every if layers % 2 == 0 else [*every[:-1], ColwiseParallel(output_layouts=Replicate())]


def build():
    model = Mlp(first_values())
    mesh = init_device_mesh("cpu", (dist.get_world_size() // TENSOR_RANKS, TENSOR_RANKS), mesh_dim_names=("data", "tensor"))
    layers = [name for name, _ in model.named_children()][1:]
    parallelize_module(model, mesh["tensor"], dict(zip(layers, styles(len(layers)))))
    distribute_module(model.embedding, mesh["tensor"],
                      input_fn=lambda _, inputs, on: DTensor.from_local(inputs[0], on, [Replicate()], run_check=False),
                      output_fn=lambda _, output, on: output.to_local())
    for module in [*model.children(), model] if FSDP2 else []:
        fully_shard(module, mesh=mesh["data"])
    parameters = list(model.parameters())  # DTensors now
    groups = [{**group, "params": [parameters[p] for p in group["params"]]} for group in GROUPS]
    return model, OPTIMIZER(groups, **DEFAULTS), parameters, mesh


def add_over_data_ranks(parameters, mesh):
    for parameter in parameters:
        part = parameter.grad.to_local()
        dist.all_reduce(part, group=mesh.get_group("data"))
        part /= mesh.size(0)


def main():
    start()
    model, optimizer, parameters, mesh = build()
    for micro_batches in BATCHES[dist.get_rank()]:
        optimizer.zero_grad()
        for k, batch in enumerate(micro_batches):
            if FSDP2:
                model.set_requires_gradient_sync(SYNC_EVERY_MICRO_BATCH or k == len(micro_batches) - 1)
            (model(*map(torch.tensor, batch)) / len(micro_batches)).backward()
        if not FSDP2:
            add_over_data_ranks(parameters, mesh)
        if MAX_NORM:
            torch.nn.utils.clip_grad_norm_(parameters, MAX_NORM, NORM_TYPE, foreach=False)
        optimizer.step()
        for parameter in parameters:
            parameter.full_tensor()
    compare(lambda what, p: None)


main()
