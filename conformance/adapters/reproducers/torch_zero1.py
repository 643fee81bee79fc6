"""{description}"""
import contextlib
import datetime
import os
import sys

os.environ.setdefault("MKL_ENABLE_INSTRUCTIONS", "AVX2")  # MKL's square root for AVX-512 is not always the nearest float
import torch
import torch.distributed as dist
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel

# {case}


# {linear_probe}


# {comparison}


def main():
    torch.use_deterministic_algorithms(POISON)  # True: fresh memory holds NaN
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))
    parameters = [torch.nn.Parameter(torch.tensor(values).reshape(shape)) for values, shape in zip(INITIAL, SHAPES)]
    parameters = [parameters[owner] for owner in TIED_TO]
    groups = [{**group, "params": [parameters[p] for p in group["params"]]} for group in GROUPS]
    optimizer = ZeroRedundancyOptimizer(groups, optimizer_class=OPTIMIZER, **DEFAULTS)
    model = DistributedDataParallel(LinearProbe(parameters), **BUCKET)
    mean, norm = [], None
    for step, micro_batches in enumerate(GRADIENTS[dist.get_rank()]):
        for group, options in CHANGES.get(step, {}).items():
            optimizer.param_groups[group].update(options)
        model.zero_grad()
        for k, gradients in enumerate(micro_batches):
            with model.no_sync() if k < len(micro_batches) - 1 else contextlib.nullcontext():
                (model(gradients) / len(micro_batches)).backward()
        mean = [None if parameter.grad is None else parameter.grad.clone() for parameter in parameters]
        if MAX_NORM:
            norm = torch.nn.utils.clip_grad_norm_(parameters, MAX_NORM, NORM_TYPE, foreach=False)
        optimizer.step()

    def got(what, p):
        values = {"parameter": parameters, "gradient": mean, "grad_norm": [norm]}
        return values[what][p] if what in values else optimizer.optim.state.get(parameters[p], {}).get(what)

    compare(got)


main()
