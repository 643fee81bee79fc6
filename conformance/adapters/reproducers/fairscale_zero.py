"""{description}"""
import contextlib
import datetime
import os
import sys

os.environ.setdefault("MKL_ENABLE_INSTRUCTIONS", "AVX2")  # MKL's square root for AVX-512 is not always the nearest float
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


def main():
    own = start()
    parameters = [own[owner] for owner in TIED_TO]
    kept = [g for g, group in enumerate(GROUPS) if group["params"]]  # OSS.step raises IndexError where the first has none
    optimizer = OSS([{**GROUPS[g], "params": [parameters[p] for p in GROUPS[g]["params"]]} for g in kept], optim=OPTIMIZER, **DEFAULTS)
    probe = LinearProbe(parameters)
    model = ShardedDataParallel(probe, optimizer) if SHARDED_DDP else DistributedDataParallel(probe, **BUCKET)
    mean, norm = train(model, optimizer, parameters, dict(zip(kept, optimizer.param_groups)),
                       lambda is_last: contextlib.nullcontext() if is_last else model.no_sync())

    def got(what, p):
        values = {"parameter": parameters, "gradient": mean, "grad_norm": [norm]}
        return values[what][p] if what in values else optimizer.optim.state.get(parameters[p], {}).get(what)

    compare(got)


main()
