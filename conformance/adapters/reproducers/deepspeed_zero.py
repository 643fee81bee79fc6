# {shows: tied names, bf16}
"""{description}"""
import datetime
import os
import sys
import tempfile  # {only: resume save_only}
from pathlib import Path  # {only: load damaged}

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
        if (begin == 0) != (dist.get_world_size() == SAVERS):  # {only: load}
            continue  # the other ranks train there  # {only: load}
        if begin > 0:  # {only: load resume save_only}
            folder = saved(engine)  # {only: resume}
            engine.destroy()  # {only: load resume}
            engine, kept, parameters = loaded(common_folder())  # {only: load}
            engine, kept, parameters = loaded(folder)  # {only: resume}
            saved(engine)  # {only: save_only}
        mean = train(engine, kept, parameters, range(begin, end))
    if dist.get_world_size() == SAVERS:  # {only: load}
        saved(engine)  # {only: load}
        print(f"rank {dist.get_rank()}: saved", flush=True)  # {only: load}
        leave(failed=False)  # {only: load}

    def got(what, p):
        if what == "grad_norm":
            return torch.tensor([float(norm_of(engine))])
        if what == "gradient":
            return mean[p]
        return whole(parameters[p]).float() if what == "parameter" else gathered(*held(engine, what, parameters[p]), len(EXPECTED[what, p]))

    compare(got)


main()

# --- deepspeed-0
norms = []  # stage 0 drops them
clip_grad_norm_ = sys.modules["deepspeed.runtime.engine"].clip_grad_norm_
sys.modules["deepspeed.runtime.engine"].clip_grad_norm_ = lambda *arguments, **others: norms.append(clip_grad_norm_(*arguments, **others))


def norm_of(engine):
    return norms[-1]


def whole(tensor):
    return tensor


def set_master(tensor, values):
    pass  # fp32 parameters are their own


def held(engine, what, tensor):
    """(first element, elements) of it on this rank; None: the optimizer has none yet."""
    return 0, tensor.grad if what == "gradient" else engine.optimizer.state[tensor].get(what)

# --- deepspeed-3
def norm_of(engine):
    return engine.get_global_grad_norm()


def whole(tensor):
    with deepspeed.zero.GatheredParameters([tensor]):
        return tensor.detach().clone()


def set_master(tensor, values):
    begin, part = dist.get_rank() * tensor.ds_tensor.ds_numel, torch.zeros(tensor.ds_tensor.ds_numel)
    mine = values.flatten()[begin:begin + part.numel()]
    part[:mine.numel()] = mine
    deepspeed.utils.safe_set_local_fp32_param(tensor, part)


def held(engine, what, tensor):
    """(first element, elements) of it on this rank; None: the optimizer has none yet."""
    parts = {"master": deepspeed.utils.safe_get_local_fp32_param, "gradient": deepspeed.utils.safe_get_local_grad}
    begin = min(dist.get_rank() * tensor.ds_tensor.ds_numel, tensor.ds_numel)
    try:
        part = parts[what](tensor) if what in parts else deepspeed.utils.safe_get_local_optimizer_state(tensor, what)
    except KeyError:
        return begin, None
    return begin, part[:tensor.ds_numel - begin]

# --- stage
def norm_of(engine):
    return engine.get_global_grad_norm()


def whole(tensor):
    return tensor


def set_master(tensor, values):
    deepspeed.utils.safe_set_full_fp32_param(tensor, values)


def gradient_of(zero, mapping, tensor):
    if hasattr(zero, "bf16_groups"):  # BF16_Optimizer has all of it
        gradients = zip(zero.bf16_groups[mapping.param_group_index], zero.fp32_groups_gradients[mapping.param_group_index])
        return next((0, gradient) for other, gradient in gradients if other is tensor)
    return mapping.lp_fragment_address.start, mapping.get_lp_grad_fragment(tensor._index_in_param_group)


def held(engine, what, tensor):
    """(first element, elements) of it on this rank; None: the optimizer has none yet. safe_get_full_optimizer_state knows the first group only."""
    mapping, optimizer = tensor._hp_mapping, engine.optimizer.optimizer
    if mapping is None:
        return 0, None
    begin, (flat,) = mapping.lp_fragment_address.start, optimizer.param_groups[mapping.param_group_index]["params"]
    if what == "gradient":
        return gradient_of(engine.optimizer, mapping, tensor)
    part = flat if what == "master" else optimizer.state[flat].get(what)
    return begin, None if part is None else part.narrow(0, mapping.hp_fragment_address.start, mapping.hp_fragment_address.numel)

# --- saved
def saved(engine):
    """The folder."""
    folder = common_folder()
    engine.save_checkpoint(folder, tag="checkpoint", save_latest=False)
    return folder

# --- loaded
def loaded(folder):
    """An engine made anew, of other values, into which the checkpoint is loaded."""
    engine, kept, parameters = build(first_values(fresh=True))

    def load():
        if engine.load_checkpoint(folder, tag="checkpoint")[0] is None:
            raise RuntimeError("load_checkpoint loaded nothing")

    load()  # {only: whole}
    damage(folder)  # {only: damaged}
    expect_refusal(load, folder)  # {only: damaged}
    return engine, kept, parameters
