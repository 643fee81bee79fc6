"""{description}"""
import datetime
import os
import sys

os.environ["DS_ACCELERATOR"] = "cpu"
os.environ["LOCAL_SIZE"] = os.environ["LOCAL_WORLD_SIZE"]
import deepspeed
import torch
import torch.distributed as dist

# {case}

sys.modules["deepspeed.comm.torch"].build_shm_op = lambda: None  # it would compile for half a minute


# {linear_probe}


# {comparison}


# {start}


# {stage}


def gathered(begin, elements, numel):
    """Of all ranks, with nothing added."""
    parts, values = [None] * dist.get_world_size(), torch.zeros(numel)
    dist.all_gather_object(parts, (begin, torch.zeros(0) if elements is None else elements.detach().flatten().float().clone()))
    for first, part in parts:
        values[first:first + part.numel()] = part
    return values


def main():
    start()
    own = first_values()
    parameters = [own[owner] for owner in TIED_TO]
    deepspeed.init_distributed("gloo", verbose=False)
    # A group without elements would end in an IndexError.
    optimizer = OPTIMIZER([{**group, "params": [parameters[p] for p in group["params"] if parameters[p].numel()]} for group in GROUPS], **DEFAULTS)
    param_groups = list(optimizer.param_groups)  # DeepSpeed takes those without parameters out
    engine, _, _, _ = deepspeed.initialize(model=LinearProbe(parameters), optimizer=optimizer, config=CONFIG)
    for owner in TIED_TO if BF16 else []:  # else masters begin as the bf16 parameters
        set_master(parameters[owner], torch.tensor(INITIAL[owner]))
    mean = {}
    for step, micro_batches in enumerate(GRADIENTS[dist.get_rank()]):
        for group, options in CHANGES.get(step, {}).items():
            param_groups[group].update(options)
        for k, gradients in enumerate(micro_batches):
            engine.backward(engine(gradients))
            if k == len(micro_batches) - 1:
                mean = {p: gathered(*held(engine, what, parameters[p]), len(EXPECTED[what, p])) for what, p in EXPECTED if what == "gradient"}
            engine.step()  # counts the micro-batch; after the last one it updates

    def got(what, p):
        if what == "grad_norm":
            return torch.tensor([float(norm_of(engine))])
        if what == "gradient":
            return mean[p]
        return whole(parameters[p]).float() if what == "parameter" else gathered(*held(engine, what, parameters[p]), len(EXPECTED[what, p]))

    compare(got)


main()
