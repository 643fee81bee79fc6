"""ZeroRedundancyOptimizer: whole tensors to ranks, the largest first, by its own `_partition_parameters`."""

from planner import by_owner, serve, states_of_stage

import torch
from torch.distributed.optim import ZeroRedundancyOptimizer

from fake_group import fake_group


def plan(request):
    request.only_stages(1)
    with fake_group(request.shard, request.shards):
        groups = [{"params": group} for group in request.groups if group]
        optimizer = ZeroRedundancyOptimizer(groups, torch.optim.SGD, lr=1.0)
        rank_of = {
            id(parameter): rank
            for rank, groups_of_rank in enumerate(optimizer._partition_parameters())
            for group in groups_of_rank
            for parameter in group["params"]
        }
    return states_of_stage(request, [by_owner(request, rank_of)])


if __name__ == "__main__":
    serve(plan)
