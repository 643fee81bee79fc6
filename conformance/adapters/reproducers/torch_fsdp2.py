# {shows: bf16, no elements, frozen parameters}
# {saves as: fsdp2}
"""{description}"""
import contextlib
import datetime
import os
# {tempfile}
# {pathlib}

import torch
import torch.distributed as dist
# {imports_of_checkpoints}
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

# {case}


# {linear_probe}


class Root(torch.nn.Module):
    """Children of two parameters each, which are sharded one by one."""

    def __init__(self, tensors):
        super().__init__()
        self.units = torch.nn.ModuleList(LinearProbe(tensors[i:i + 2]) for i in range(0, len(tensors), 2))

    def forward(self, gradients):
        return torch.stack([unit(gradients[2 * i:2 * i + 2]) for i, unit in enumerate(self.units)]).sum()


# {comparison}


# {start}


# {freezing}


# {training}


def build(own):
    model = Root(own)
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32) if BF16 else MixedPrecisionPolicy()
    for module in [*model.units, model]:
        fully_shard(module, mesh=mesh, reshard_after_forward=RESHARD, mp_policy=policy)
    parameters = [parameter for unit in model.units for parameter in unit.tensors]  # DTensors now
    groups = [{**group, "params": [parameters[p] for p in group["params"]]} for group in GROUPS]
    return model, OPTIMIZER(groups, **DEFAULTS), parameters


# {checkpoints}


def main():
    start()
    model, optimizer, parameters = build(first_values())

    def reducing(is_last):
        model.set_requires_gradient_sync(SYNC_EVERY_MICRO_BATCH or is_last)
        return contextlib.nullcontext()

    for begin, end in LEGS:
# {between_legs}
        mean, norm = train(model, optimizer, parameters, range(len(GROUPS)), reducing, range(begin, end))
# {after_legs}

    def got(what, p):
        values = {"parameter": parameters, "master": parameters, "gradient": mean, "grad_norm": [norm]}
        tensor = values[what][p] if what in values else optimizer.state.get(parameters[p], {}).get(what)
        tensor = tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor
        return tensor.bfloat16().float() if BF16 and what == "parameter" else tensor

    compare(got)


main()
