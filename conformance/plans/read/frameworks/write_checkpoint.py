#!/usr/bin/env python3
"""Writes the checkpoint of a small model that a real framework saves after one step on the CPU, for readers to read.

usage: write_checkpoint.py KIND FOLDER RANKS [--seed N] [--steps N]     KIND: dcp, dcp-hf, deepspeed-1, deepspeed-2,
deepspeed-3, universal, megatron. Needs a Python with torch, for DeepSpeed one with deepspeed, for Megatron one with
megatron-core.
"""

import argparse
import importlib
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

os.environ["DS_ACCELERATOR"] = "cpu"
import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
import torch.multiprocessing as mp  # noqa: E402

SIZES = [(7, 5), (3, 7), (1, 3)]  # out, in: odd, fewer rows than ranks, and 70 elements in all, which 3 does not divide


def model_of(seed):
    torch.manual_seed(seed)
    return torch.nn.Sequential(*(torch.nn.Linear(inputs, outputs) for outputs, inputs in SIZES))


def step(model, optimizer):
    model(torch.ones(2, SIZES[0][1])).square().sum().backward()
    optimizer.step()


def fsdp2(seed):
    from torch.distributed.checkpoint.state_dict import get_state_dict
    from torch.distributed.fsdp import fully_shard

    model = model_of(seed)
    fully_shard(model, mesh=torch.distributed.device_mesh.init_device_mesh("cpu", (dist.get_world_size(),)))
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(STEPS):
        step(model, optimizer)
    weights, state = get_state_dict(model, optimizer)
    return {"model": weights, "optim": state}


def write_dcp(folder, seed):
    import torch.distributed.checkpoint as dcp

    dcp.save(fsdp2(seed), checkpoint_id=folder)


def stand_in_for_safetensors():
    """What torch calls of the package safetensors where it is not installed: the container, nothing of its contents."""
    import json
    import struct
    import types

    names = {torch.float32: "F32", torch.bfloat16: "BF16"}

    def save(tensors, metadata=None):
        header, data = {"__metadata__": metadata or {}}, b""
        for name, tensor in tensors.items():
            values = tensor.contiguous().view(torch.uint8).numpy().tobytes()
            offsets = [len(data), len(data) + len(values)]
            header[name] = {"dtype": names[tensor.dtype], "shape": list(tensor.shape), "data_offsets": offsets}
            data += values
        text = json.dumps(header).encode()
        return struct.pack("<Q", len(text)) + text + data

    sys.modules["safetensors"] = types.ModuleType("safetensors")
    sys.modules["safetensors.torch"] = types.SimpleNamespace(save=save)


def write_dcp_hf(folder, seed):
    import torch.distributed.checkpoint as dcp

    if importlib.util.find_spec("safetensors") is None:
        stand_in_for_safetensors()
    weights = fsdp2(seed)["model"]
    dcp.save(
        weights,
        storage_writer=dcp.HuggingFaceStorageWriter(
            folder, fqn_to_index_mapping=dict.fromkeys(weights, 1), save_distributed=True
        ),
    )


def write_deepspeed(folder, seed, stage):
    import deepspeed

    sys.modules["deepspeed.comm.torch"].build_shm_op = lambda: None  # it would compile for half a minute
    deepspeed.init_distributed("gloo", verbose=False)
    model = model_of(seed)
    engine, _, _, _ = deepspeed.initialize(
        model=model,
        optimizer=torch.optim.AdamW(model.parameters()),
        config={
            "train_micro_batch_size_per_gpu": 2,
            "zero_allow_untested_optimizer": True,
            "zero_force_ds_cpu_optimizer": False,
            "bf16": {"enabled": True},
            "zero_optimization": {"stage": stage, "stage3_param_persistence_threshold": 0},
        },
    )
    for _ in range(STEPS):
        engine.backward(engine(torch.ones(2, SIZES[0][1], dtype=torch.bfloat16)).square().sum())
        engine.step()
    engine.save_checkpoint(folder)


def write_megatron(folder, seed):
    """A weight by rows on two tensor ranks, replicated over the others; a bias on all; optimizer state by columns."""
    torch.cuda.synchronize = lambda *_: None  # Megatron waits for a GPU before it writes, and asks which one
    torch.cuda.current_device = lambda: "cpu"
    from megatron.core import dist_checkpointing

    place = dist_checkpointing.ShardedTensor.from_rank_offsets
    rank, ranks, tensor_ranks = dist.get_rank(), dist.get_world_size(), 2
    tensor_rank, replica = rank % tensor_ranks, rank // tensor_ranks
    state = {
        "w": place("w", torch.full((3, 5), float(seed)), (0, tensor_rank, tensor_ranks), replica_id=replica),
        "b": place("b", torch.full((7,), float(seed)), replica_id=rank),
        "m": place("m", torch.full((2, 3), float(seed + rank)), (1, rank, ranks)),
        "iteration": seed,
    }
    os.makedirs(folder, exist_ok=True)
    dist.barrier()
    dist_checkpointing.save(state, folder)


WRITERS = {
    "dcp": write_dcp,
    "dcp-hf": write_dcp_hf,
    "megatron": write_megatron,
    "universal": lambda folder, seed: write_deepspeed(folder, seed, 3),
    **{f"deepspeed-{n}": lambda folder, seed, n=n: write_deepspeed(folder, seed, n) for n in (1, 2, 3)},
}


NEEDS = {kind: "torch.distributed.checkpoint" for kind in ("dcp", "dcp-hf", "megatron")}


STEPS = 1


def run_rank(rank, arguments, store):
    global STEPS  # noqa: PLW0603  of this process
    STEPS = arguments.steps
    os.environ.update(
        RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(arguments.ranks), LOCAL_SIZE=str(arguments.ranks)
    )
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=arguments.ranks)
    WRITERS[arguments.kind](arguments.folder, arguments.seed)
    dist.barrier()
    dist.destroy_process_group()


def convert_to_universal(folder):
    """As DeepSpeed's own tool does, which wants a checkpoint of stage 3 for that."""
    from deepspeed.checkpoint import ds_to_universal

    saved = next(pathlib.Path(folder).glob("global_step*"))
    workers = ["--num_extract_workers", "1", "--num_merge_workers", "1"]
    command = ["--input_folder", str(saved), "--output_folder", str(saved.with_name("universal")), *workers]
    subprocess.run([sys.executable, ds_to_universal.__file__, *command], check=True)
    shutil.rmtree(saved)
    (pathlib.Path(folder) / "latest").write_text("universal")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("kind", choices=WRITERS)
    parser.add_argument("folder")
    parser.add_argument("ranks", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=1)
    arguments = parser.parse_args()
    importlib.import_module(NEEDS.get(arguments.kind, "deepspeed"))
    with tempfile.TemporaryDirectory() as folder:  # ranks are forks, so that they need not import it again
        store = os.path.join(folder, "store")
        mp.start_processes(run_rank, (arguments, store), nprocs=arguments.ranks, start_method="fork")
    if arguments.kind == "universal":
        convert_to_universal(arguments.folder)


if __name__ == "__main__":
    main()
