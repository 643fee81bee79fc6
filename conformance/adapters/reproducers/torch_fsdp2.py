"""{description}"""
import datetime
import os
import sys

os.environ.setdefault("MKL_ENABLE_INSTRUCTIONS", "AVX2")  # MKL's square root for AVX-512 is not always the nearest float
import torch
import torch.distributed as dist
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


def main():
    torch.use_deterministic_algorithms(POISON)  # True: fresh memory holds NaN
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    model = Root([torch.nn.Parameter(torch.tensor(values).reshape(shape)) for values, shape in zip(INITIAL, SHAPES)])
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32) if BF16 else MixedPrecisionPolicy()
    for module in [*model.units, model]:
        fully_shard(module, mesh=mesh, reshard_after_forward=RESHARD, mp_policy=policy)
    parameters = list(model.parameters())  # DTensors now
    groups = [{**group, "params": [parameters[p] for p in group["params"]]} for group in GROUPS]
    optimizer = OPTIMIZER(groups, **DEFAULTS)
    mean, norm = [], None
    for step, micro_batches in enumerate(GRADIENTS[dist.get_rank()]):
        for group, options in CHANGES.get(step, {}).items():
            optimizer.param_groups[group].update(options)
        optimizer.zero_grad()
        for k, gradients in enumerate(micro_batches):
            model.set_requires_gradient_sync(SYNC_EACH or k == len(micro_batches) - 1)
            (model(gradients) / len(micro_batches)).backward()
        mean = [None if parameter.grad is None else parameter.grad.clone() for parameter in parameters]
        if MAX_NORM:
            norm = torch.nn.utils.clip_grad_norm_(parameters, MAX_NORM, NORM_TYPE, foreach=False)
        optimizer.step()

    def got(what, p):
        values = {"parameter": parameters, "master": parameters, "gradient": mean, "grad_norm": [norm]}
        tensor = values[what][p] if what in values else optimizer.state.get(parameters[p], {}).get(what)
        tensor = tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor
        return tensor.bfloat16().float() if BF16 and what == "parameter" else tensor

    compare(got)


main()
