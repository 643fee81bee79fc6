"""fairscale's OSS: whole tensors to ranks in their order, each to the least loaded: its own `partition_parameters`."""

from planner import by_owner, serve, states_of_stage

import torch
from fairscale.optim import OSS

from fake_group import fake_group


def plan(request):
    request.only_stages(1)
    with fake_group(request.shard, request.shards):
        groups = [{"params": group} for group in request.groups if group]
        optimizer = OSS(groups, optim=torch.optim.SGD, lr=1.0)
        rank_of = {
            id(parameter): rank
            for rank, groups_of_rank in enumerate(optimizer.partition_parameters())
            for group in groups_of_rank
            for parameter in group["params"]
        }
    return states_of_stage(request, [by_owner(request, rank_of)])


if __name__ == "__main__":
    serve(plan)
