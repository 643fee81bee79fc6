# {shows: tied names, no elements}
"""{description}"""
import contextlib
import datetime
import os
import tempfile  # {only: resume save_only}
from pathlib import Path  # {only: load damaged}

import torch
import torch.distributed as dist
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel

# {case}


# {linear_probe}


# {comparison}


# {start}


# {training}


def build(own):
    parameters = [own[owner] for owner in TIED_TO]
    groups = [{**group, "params": [parameters[p] for p in group["params"]]} for group in GROUPS]
    optimizer = ZeroRedundancyOptimizer(groups, optimizer_class=OPTIMIZER, **DEFAULTS)
    return DistributedDataParallel(LinearProbe(parameters), **BUCKET), optimizer, parameters


# {checkpoints}


def main():
    start()
    model, optimizer, parameters = build(first_values())
    for begin, end in LEGS:
# {between_legs}
        mean, norm = train(model, optimizer, parameters, range(len(GROUPS)),
                           lambda is_last: contextlib.nullcontext() if is_last else model.no_sync(), range(begin, end))
# {leaving}

    def got(what, p):
        values = {"parameter": parameters, "gradient": mean, "grad_norm": [norm]}
        return values[what][p] if what in values else optimizer.optim.state.get(parameters[p], {}).get(what)

    compare(got)


main()
