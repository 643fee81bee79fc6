"""What a release of a framework says of itself: the defaults of what a subject calls, and the keys of the checkpoint
that it saves. `zerocts upgrade` compares two releases.

usage: PYTHON release_facts.py SUBJECT      the Python has the framework
Standard output has one JSON object, {"defaults": {name: text}, "checkpoint": {key: "float32 [2, 3]"}}, or the one
sentence that says why there is none. exit 0: the object; 2: the sentence
"""

import contextlib
import importlib
import inspect
import json
import os
import re
import sys
import tempfile
from pathlib import Path

# What the subject calls: the defaults of all arguments are compared. A class whose name is not there has none.
OPTIMIZERS = ["torch.optim.SGD", "torch.optim.Adam", "torch.optim.AdamW", "torch.nn.utils.clip_grad_norm_"]
CALLED = {
    "torch-zero1": ["torch.nn.parallel.DistributedDataParallel", "torch.distributed.optim.ZeroRedundancyOptimizer"],
    "torch-fsdp1": [
        "torch.distributed.fsdp.FullyShardedDataParallel",
        "torch.distributed.fsdp.MixedPrecision",
        "torch.distributed.fsdp.sharded_grad_scaler.ShardedGradScaler",
    ],
    "torch-fsdp2": [
        "torch.distributed.fsdp.fully_shard",
        "torch.distributed.fsdp.MixedPrecisionPolicy",
        "torch.distributed.fsdp.CPUOffloadPolicy",
        "torch.distributed.checkpoint.save",
    ],
    "torch-tp": ["torch.distributed.tensor.parallel.parallelize_module"],
}

LONGEST = 400  # characters of a value


class NoFacts(Exception):
    """The message is a sentence for people."""


def family_of(subject):
    """ "torch-fsdp2" of "torch-fsdp2-noreshard"; a user's own optimizer is judged beside DDP."""
    if subject.startswith("deepspeed-"):
        return subject
    if subject.startswith("torch:"):
        return "torch-zero1"
    return next((name for name in CALLED if subject.startswith(name)), subject)


def looked_up(path):
    module, _, name = path.rpartition(".")
    try:
        return getattr(importlib.import_module(module), name, None)
    except ImportError:
        return None


def defaults_of_call(path):
    called = looked_up(path)
    if called is None:
        return {path: "not there"}
    arguments = inspect.signature(called).parameters.values()
    return {f"{path}({argument.name})": default_of(argument) for argument in arguments if argument.name != "self"}


def default_of(argument):
    if argument.default is argument.empty:
        return "no default"
    return in_one_line(repr(argument.default))


def in_one_line(text):
    """Without addresses, which are others in each process."""
    line = " ".join(re.sub(r" at 0x[0-9a-f]+", "", text).split())
    return line if len(line) <= LONGEST else line[:LONGEST] + ".."


def flat(prefix, value):
    """A tree of dicts and lists as {"a/b/0": leaf}."""
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, (list, tuple)):
        items = enumerate(value)
    else:
        return {prefix: value}
    tree = {}
    for key, below in items:
        tree.update(flat(f"{prefix}/{key}" if prefix else str(key), below))
    return tree


def form_of(leaf):
    import torch

    if isinstance(leaf, torch.Tensor):
        leaf = leaf.full_tensor() if hasattr(leaf, "full_tensor") else leaf
        return f"{str(leaf.dtype).removeprefix('torch.')} {list(leaf.shape)}"
    return type(leaf).__name__


def keys_of(tree):
    return {key: form_of(leaf) for key, leaf in flat("", tree).items()}


def small_model():
    import torch

    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Linear(3, 2, bias=False))


def trained(model, optimizer):
    import torch

    model(torch.ones(2, 4)).sum().backward()
    optimizer.step()


@contextlib.contextmanager
def one_rank():
    import torch

    os.environ.update(
        RANK="0", WORLD_SIZE="1", LOCAL_RANK="0", LOCAL_SIZE="1", MASTER_ADDR="127.0.0.1", MASTER_PORT="0"
    )
    torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
    try:
        yield
    finally:
        torch.distributed.destroy_process_group()


def checkpoint_of_zero1():
    import torch
    from torch.distributed.optim import ZeroRedundancyOptimizer

    model = torch.nn.parallel.DistributedDataParallel(small_model())
    optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.AdamW, lr=0.1)
    trained(model, optimizer)
    optimizer.consolidate_state_dict()
    return {"model": model.state_dict(), "optimizer": optimizer.state_dict()}


def checkpoint_of_fsdp1():
    import torch
    from torch.distributed.fsdp import FullyShardedDataParallel

    model = FullyShardedDataParallel(small_model(), device_id=torch.device("cpu"), use_orig_params=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    trained(model, optimizer)
    return {"model": model.state_dict(), "optimizer": FullyShardedDataParallel.optim_state_dict(model, optimizer)}


def checkpoint_of_fsdp2():
    import torch
    from torch.distributed.checkpoint.state_dict import get_state_dict
    from torch.distributed.fsdp import fully_shard

    mesh = torch.distributed.init_device_mesh("cpu", (1,))
    model = fully_shard(small_model(), mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    trained(model, optimizer)
    model_state, optimizer_state = get_state_dict(model, optimizer)
    return {"model": model_state, "optimizer": optimizer_state}


CHECKPOINTS = {
    "torch-zero1": checkpoint_of_zero1,
    "torch-fsdp1": checkpoint_of_fsdp1,
    "torch-fsdp2": checkpoint_of_fsdp2,
}


def facts_of_torch(family):
    defaults = {}
    for path in CALLED[family] + OPTIMIZERS:
        defaults.update(defaults_of_call(path))
    checkpoint = {}
    if family in CHECKPOINTS:
        with one_rank():
            checkpoint = keys_of(CHECKPOINTS[family]())
    return {"defaults": defaults, "checkpoint": checkpoint}


def defaults_of_deepspeed(config):
    """Every value of its configuration where nothing but the stage was asked for."""
    plain = {key: value for key, value in vars(config).items() if not key.startswith("_")}
    values = {key: value.model_dump() if hasattr(value, "model_dump") else value for key, value in plain.items()}
    return {key: in_one_line(str(leaf)) for key, leaf in flat("", values).items()}


def facts_of_deepspeed(subject):
    os.environ["DS_ACCELERATOR"] = "cpu"
    stage = int(subject.split("-")[1])
    import deepspeed
    import torch

    sys.modules["deepspeed.comm.torch"].build_shm_op = lambda: None  # it would compile for half a minute
    asked = {
        "train_micro_batch_size_per_gpu": 1,
        "zero_optimization": {"stage": stage},
        "zero_allow_untested_optimizer": True,
    }
    with one_rank(), tempfile.TemporaryDirectory() as folder:
        model = small_model()
        engine = deepspeed.initialize(
            model=model, optimizer=torch.optim.AdamW(model.parameters(), lr=0.1), config=asked
        )[0]
        engine.backward(engine(torch.ones(2, 4)).sum())
        engine.step()
        engine.save_checkpoint(folder, tag="saved")
        checkpoint = {}
        for file in sorted(Path(folder, "saved").glob("*.pt")):
            loaded = torch.load(file, map_location="cpu", weights_only=False)
            checkpoint.update({f"{file.name}/{key}": form for key, form in keys_of(loaded).items()})
        return {"defaults": defaults_of_deepspeed(engine._config), "checkpoint": checkpoint}


def facts_of(subject):
    family = family_of(subject)
    if family in CALLED:
        return facts_of_torch(family)
    if family.startswith("deepspeed-"):
        return facts_of_deepspeed(family)
    raise NoFacts(f"defaults and keys of {subject} are not known: expected torch-* or deepspeed-*")


def main():
    answer = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # frameworks print
    try:
        text, exit_code = json.dumps(facts_of(sys.argv[1])), 0
    except NoFacts as none:
        text, exit_code = str(none), 2
    except Exception as error:  # of a release that cannot do it: the other facts stand
        text, exit_code = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else 'no message'}", 2
    os.write(answer, text.encode() + b"\n")
    sys.exit(exit_code)


if __name__ == "__main__":
    main()
