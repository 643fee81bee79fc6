"""fairscale's OSS: whole tensors to ranks in their order, each to the least loaded: its own `partition_parameters`."""

from planner import by_owner, serve, states_of_stage

import torch
from fairscale.optim import OSS

from fake_group import fake_group


def plan(request):
    request.only_stages(1)
    with fake_group(request.shard, request.shards):
        optimizer = OSS(request.parameter_groups(), optim=torch.optim.SGD, lr=1.0)
        division = by_owner(request, optimizer.partition_parameters())
    return states_of_stage(request, [division])


if __name__ == "__main__":
    serve(plan)
