"""ZeroRedundancyOptimizer: whole tensors to ranks, the largest first, by its own `_partition_parameters`."""

from planner import by_owner, serve, states_of_stage

import torch
from torch.distributed.optim import ZeroRedundancyOptimizer

from fake_group import fake_group


def plan(request):
    request.only_stages(1)
    with fake_group(request.shard, request.shards):
        optimizer = ZeroRedundancyOptimizer(request.parameter_groups(), torch.optim.SGD, lr=1.0)
        division = by_owner(request, optimizer._partition_parameters())
    return states_of_stage(request, [division])


if __name__ == "__main__":
    serve(plan)
