"""`fully_shard` of one module: each parameter alone, along one dimension, as FSDP2 itself shards it.

FSDP2 shows a rank its own shard only, so the cuts of all ranks come from its `_chunk_with_empty`, and the shard of the
rank that asks is compared with what `fully_shard` made of it. `dimension` (first or largest) is its shard_placement_fn.
"""

from planner import intervals_of, serve, states_of_stage

import torch
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.fsdp._fully_shard._fsdp_common import _chunk_with_empty
from torch.distributed.tensor import Shard

from fake_group import fake_group


def dimension_of(request, parameter):
    if request.option("dimension", ["first", "largest"]) == "first":
        return 0
    return max(range(parameter.ndim), key=lambda dimension: parameter.shape[dimension])


def local_shapes(request):
    """What `fully_shard` leaves to the rank that asks, in the order of parameters."""
    module = torch.nn.Module()
    for index, (_, parameter) in enumerate(request.named()):
        module.register_parameter(f"p{index}", parameter)
    with fake_group(request.rank, request.replicas * request.shards):
        sizes = (request.replicas, request.shards) if request.replicas > 1 else (request.shards,)
        mesh = init_device_mesh("cpu", sizes, mesh_dim_names=("replicate", "shard")[-len(sizes) :])
        fully_shard(
            module,
            mesh=mesh,
            reshard_after_forward=request.stage == 3,
            shard_placement_fn=lambda parameter: Shard(dimension_of(request, parameter)),
        )
        return [parameter.to_local().shape for parameter in module.parameters()]


def division_of(request, name, parameter, local_shape):
    dimension = dimension_of(request, parameter)
    chunks = _chunk_with_empty(parameter.detach(), request.shards, dim=dimension)
    if chunks[request.shard].numel() != local_shape.numel():
        raise AssertionError(
            f"fully_shard gives rank {request.rank} of {name} {local_shape.numel()} elements, its chunk has "
            f"{chunks[request.shard].numel()}"
        )
    if dimension == 0:
        return {"tensors": [name], "rule": "intervals", "intervals": intervals_of(chunks)}
    return {"tensors": [name], "rule": "rows", "dimension": dimension, "part": max(chunks[0].size(dimension), 1)}


def plan(request):
    request.only_stages(2, 3)
    shapes = local_shapes(request)
    divisions = [division_of(request, *named, shape) for named, shape in zip(request.named(), shapes)]
    return states_of_stage(request, divisions)


if __name__ == "__main__":
    serve(plan)
