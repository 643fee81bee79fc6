"""DeepSpeed's stage 3: each parameter alone, padded by `Init._aligned_size` of its partition_parameters.

Which elements a rank has is written out here as `Init._partition_param` does it, which would allocate them.
"""

from types import SimpleNamespace

from planner import serve, states_of_stage

from deepspeed.runtime.zero.partition_parameters import Init


def padded_numel(parameter, shards):
    init = SimpleNamespace(_partition_world_size=lambda _: shards)
    init._padding_size = lambda described: Init._padding_size(init, described)
    return Init._aligned_size(init, SimpleNamespace(ds_numel=parameter.numel()))


def division_of(request, name, parameter):
    part = padded_numel(parameter, request.shards) // request.shards
    return {"tensors": [name], "rule": "ceil", "part": max(part, 1)}


def plan(request):
    request.only_stages(3)
    return states_of_stage(request, [division_of(request, *named) for named in request.named()])


if __name__ == "__main__":
    serve(plan)
