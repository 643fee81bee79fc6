# {shows: tied names, no elements}
"""{description}"""
import contextlib
import datetime
import os
import tempfile  # {only: resume save_only}
from pathlib import Path  # {only: load damaged}

import torch
import torch.distributed as dist
from fairscale.nn.data_parallel import ShardedDataParallel
from fairscale.optim import OSS
from torch.nn.parallel import DistributedDataParallel

# {case}


# {linear_probe}


# {comparison}


# {start}


# {training}


kept = [g for g, group in enumerate(GROUPS) if group["params"]]  # OSS.step raises IndexError where the first has none


def build(own):
    parameters = [own[owner] for owner in TIED_TO]
    optimizer = OSS([{**GROUPS[g], "params": [parameters[p] for p in GROUPS[g]["params"]]} for g in kept], optim=OPTIMIZER, **DEFAULTS)
    probe = LinearProbe(parameters)
    model = ShardedDataParallel(probe, optimizer) if SHARDED_DDP else DistributedDataParallel(probe, **BUCKET)
    return model, optimizer, parameters


# {checkpoints}


def main():
    start()
    model, optimizer, parameters = build(first_values())
    for begin, end in LEGS:
# {between_legs}
        mean, norm = train(model, optimizer, parameters, kept, lambda is_last: contextlib.nullcontext() if is_last else model.no_sync(),
                           range(begin, end))
# {leaving}

    def got(what, p):
        values = {"parameter": parameters, "gradient": mean, "grad_norm": [norm]}
        return values[what][p] if what in values else optimizer.optim.state.get(parameters[p], {}).get(what)

    compare(got)


main()
