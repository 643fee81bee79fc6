"""FullyShardedDataParallel of one module: a flat parameter per handle, cut by its own `_get_unpadded_shard`.

`orig_params` (yes or no) is its use_orig_params: with it tensors begin at multiples of 16 bytes.
"""

from itertools import accumulate

from planner import flat_buffer, serve, states_of_stage

import torch
from torch.distributed.fsdp._flat_param import FlatParamHandle, HandleShardingStrategy
from torch.distributed.fsdp._init_utils import _verify_managed_params

from fake_group import fake_group

STRATEGIES = {2: HandleShardingStrategy.SHARD_GRAD_OP, 3: HandleShardingStrategy.FULL_SHARD}


def module_of(request):
    module = torch.nn.Module()
    for index, parameter in enumerate(request.parameters.values()):
        module.register_parameter(f"p{index}", parameter)
    return module


def handle_of(request, group):
    module = module_of(request)
    parameters = list(module.parameters())
    _verify_managed_params(module, parameters)
    return FlatParamHandle(
        parameters,
        module,
        torch.device("cpu"),
        STRATEGIES[request.stage],
        False,  # offload_params
        None,  # mp_param_dtype
        None,  # mp_reduce_dtype
        False,  # keep_low_precision_grads
        group,
        request.option("orig_params", ["yes", "no"]) == "yes",
    )


def places_in(flat):
    """Where each parameter begins, from the sizes of parameters and paddings."""
    begins = accumulate(flat._numels_with_padding, initial=0)
    return [begin for begin, padding in zip(begins, flat._is_padding_mask) if not padding]


def plan(request):
    request.only_stages(2, 3)
    names = {f"p{index}": name for index, name in enumerate(request.parameters)}
    with fake_group(request.shard, request.shards) as group:
        handle = handle_of(request, group)
    flat = handle.flat_param
    shards = [handle._get_unpadded_shard(flat, shard, request.shards)[0] for shard in range(request.shards)]
    division = flat_buffer([names[name] for name in flat._fqns], places_in(flat), flat, shards)
    return states_of_stage(request, [division])


if __name__ == "__main__":
    serve(plan)
