"""DeepSpeed's stages 1 and 2: a flat buffer per group of the optimizer, padded by its own `align_dense_tensors`, cut by
its own `get_data_parallel_partitions`.

`round_robin` (no or yes) is its round_robin_gradients.
"""

from itertools import accumulate
from types import SimpleNamespace

from planner import flat_buffer, serve, states_of_stage

import torch
from deepspeed.runtime.utils import align_dense_tensors
from deepspeed.runtime.zero import stage_1_and_2
from deepspeed.runtime.zero.stage_1_and_2 import DeepSpeedZeroOptimizer


START_ALIGNMENT = 2  # elements: DeepSpeedZeroOptimizer.nccl_start_alignment_factor


def ordered(request, tensors):
    if request.option("round_robin", ["no", "yes"]) == "no":
        return tensors
    return DeepSpeedZeroOptimizer._round_robin_reorder(None, tensors, request.shards)[0]


def division_of(request, names, group):
    tensors = ordered(request, group)
    aligned = align_dense_tensors([tensor.detach() for tensor in tensors], START_ALIGNMENT * request.shards)
    buffer = torch.cat([tensor.reshape(-1) for tensor in aligned])
    optimizer = SimpleNamespace(real_dp_process_group={0: request.shards})
    shards = DeepSpeedZeroOptimizer.get_data_parallel_partitions(optimizer, buffer, 0)
    offsets = list(accumulate((tensor.numel() for tensor in tensors[:-1]), initial=0))
    return flat_buffer([names[id(tensor)] for tensor in tensors], offsets, buffer, shards)


def plan(request):
    request.only_stages(1, 2)
    names = {id(parameter): name for name, parameter in request.named()}
    groups = [[tensor for tensor in group if tensor.requires_grad] for group in request.groups]
    return states_of_stage(request, [division_of(request, names, group) for group in groups if group])


# The stand-in for a process group is its size.
stage_1_and_2.dist = SimpleNamespace(get_world_size=lambda group: group)

if __name__ == "__main__":
    serve(plan)
