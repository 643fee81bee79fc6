# {shows: tied names, bf16}
# {saves as: deepspeed}
"""{description}"""
import datetime
import os
import sys
# {tempfile}
# {pathlib}

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
    """The numel values, put together from the parts of all ranks with nothing added."""
    parts, values = [None] * dist.get_world_size(), torch.zeros(numel)
    dist.all_gather_object(parts, (begin, torch.zeros(0) if elements is None else elements.detach().flatten().float().clone()))
    for first, part in parts:
        values[first:first + part.numel()] = part
    return values


def build(own):
    values, parameters = [tensor.detach().clone() for tensor in own], [own[owner] for owner in TIED_TO]
    # A group without elements would end in an IndexError.
    groups = [{**group, "params": [parameters[p] for p in group["params"] if parameters[p].numel()]} for group in GROUPS]
    kept = [group for group, options in enumerate(groups) if options["params"]]  # DeepSpeed takes the others out
    engine, _, _, _ = deepspeed.initialize(model=LinearProbe(parameters), optimizer=OPTIMIZER(groups, **DEFAULTS), config=CONFIG)
    for owner in TIED_TO if BF16 else []:  # else masters begin as the bf16 parameters
        set_master(parameters[owner], values[owner])
    return engine, kept, parameters


# {checkpoints}


def train(engine, kept, parameters, steps):
    """Returns the mean gradients of the last step that are compared."""
    mean = {}
    for step in steps:
        micro_batches = GRADIENTS[dist.get_rank()][step]
        for group in CHANGES.get(step, {}).keys() & set(kept):
            engine.optimizer.param_groups[kept.index(group)].update(CHANGES[step][group])
        for k, gradients in enumerate(micro_batches):
            engine.backward(engine(gradients))
            if k == len(micro_batches) - 1:
                mean = {p: gathered(*held(engine, what, parameters[p]), len(EXPECTED[what, p])) for what, p in EXPECTED if what == "gradient"}
            engine.step()  # counts the micro-batch; after the last one it updates
    return mean


def main():
    start()
    deepspeed.init_distributed("gloo", verbose=False)
    engine, kept, parameters = build(first_values())
    for begin, end in LEGS:
# {between_legs}
        mean = train(engine, kept, parameters, range(begin, end))
# {after_legs}

    def got(what, p):
        if what == "grad_norm":
            return torch.tensor([float(norm_of(engine))])
        if what == "gradient":
            return mean[p]
        return whole(parameters[p]).float() if what == "parameter" else gathered(*held(engine, what, parameters[p]), len(EXPECTED[what, p]))

    compare(got)


main()
