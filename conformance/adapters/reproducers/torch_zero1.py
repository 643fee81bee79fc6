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


# {start}


# {training}


def main():
    own = start()
    parameters = [own[owner] for owner in TIED_TO]
    groups = [{**group, "params": [parameters[p] for p in group["params"]]} for group in GROUPS]
    optimizer = ZeroRedundancyOptimizer(groups, optimizer_class=OPTIMIZER, **DEFAULTS)
    model = DistributedDataParallel(LinearProbe(parameters), **BUCKET)
    mean, norm = train(model, optimizer, parameters, dict(enumerate(optimizer.param_groups)),
                       lambda is_last: contextlib.nullcontext() if is_last else model.no_sync())

    def got(what, p):
        values = {"parameter": parameters, "gradient": mean, "grad_norm": [norm]}
        return values[what][p] if what in values else optimizer.optim.state.get(parameters[p], {}).get(what)

    compare(got)


main()
