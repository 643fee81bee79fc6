#!/usr/bin/env python3
"""Trains a small GPT, as people do: the script that the tests of `zerocts watch` run. It knows nothing of zerocts.

usage: torchrun --nproc-per-node 2 train.py [--mode ddp] [--optimizer adamw] [--steps 8] ..
Prints the loss of each step in hexadecimal, and at the end a hash of parameters and optimizer state.
"""

import argparse
import hashlib
import os

import checkpoints
import faults
import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional

VOCABULARY, WIDTH, LAYERS, TOKENS = 97, 36, 2, 12  # uneven, so that shards are


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.proj = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (3, WIDTH // 3)).transpose(1, 2) for t in self.qkv(self.norm1(x)).chunk(3, -1))
        attended = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(attended.transpose(1, 2).flatten(2))
        return x + self.down(functional.gelu(self.up(self.norm2(x))))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(TOKENS, WIDTH)
        self.blocks, self.norm = nn.ModuleList(Block() for _ in range(LAYERS)), nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, tokens):
        x = self.tokens(tokens) + self.positions.weight
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def wrapped(model, mode, world):
    if mode in ("ddp", "zero1"):
        return nn.parallel.DistributedDataParallel(model)
    if mode.startswith("fsdp1"):
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import FullyShardedDataParallel, ShardingStrategy
        from torch.distributed.fsdp.wrap import ModuleWrapPolicy

        policy = ModuleWrapPolicy({Block})
        original = mode == "fsdp1-original"
        settings = {"auto_wrap_policy": policy, "use_orig_params": original, "device_id": torch.device("cpu")}
        if mode == "fsdp1-unsharded":
            settings["sharding_strategy"] = ShardingStrategy.NO_SHARD
        if mode == "fsdp1-hybrid":
            mesh = init_device_mesh("cpu", (world // 2, 2), mesh_dim_names=("replicate", "shard"))
            settings |= {"device_mesh": mesh, "sharding_strategy": ShardingStrategy.HYBRID_SHARD}
        return FullyShardedDataParallel(model, **settings)
    if mode in ("fsdp2", "fsdp2-bf16", "hsdp"):
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

        sizes, names = ((world // 2, 2), ("replicate", "shard")) if mode == "hsdp" else ((world,), ("shard",))
        mesh = init_device_mesh("cpu", sizes, mesh_dim_names=names)
        low = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
        policy = low if mode == "fsdp2-bf16" else MixedPrecisionPolicy()
        for block in model.blocks:
            fully_shard(block, mesh=mesh, mp_policy=policy)
        return fully_shard(model, mesh=mesh, mp_policy=policy)
    return model


def optimizer_of(model, options):
    kinds = {
        "sgd": (torch.optim.SGD, {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.01}),
        "adam": (torch.optim.Adam, {"lr": 1e-3, "weight_decay": 0.01}),
        "adamw": (torch.optim.AdamW, {"lr": 1e-3}),
        "adamw-fused": (torch.optim.AdamW, {"lr": 1e-3, "fused": True}),
        "adamw-foreach": (torch.optim.AdamW, {"lr": 1e-3, "foreach": True}),
        "adagrad": (torch.optim.Adagrad, {"lr": 1e-2}),
        "radam": (torch.optim.RAdam, {"lr": 1e-3}),
    }
    kind, settings = kinds[options.optimizer]
    settings["lr"] = settings["lr"] if options.lr is None else options.lr
    if options.mode == "zero1":
        from torch.distributed.optim import ZeroRedundancyOptimizer

        return ZeroRedundancyOptimizer(model.parameters(), kind, **settings)
    return kind(model.parameters(), **settings)


def hash_of(model, optimizer):
    states = optimizer.optim.state if hasattr(optimizer, "optim") else optimizer.state
    moments = [v for state in states.values() for v in state.values() if torch.is_tensor(v)]
    return hash_of_tensors([*model.parameters(), *moments])


def hash_of_tensors(tensors):
    digest = hashlib.sha256()
    for tensor in tensors:
        local = tensor.to_local() if hasattr(tensor, "to_local") else tensor
        digest.update(local.detach().double().numpy().tobytes())
    return digest.hexdigest()[:16]


def say(line):
    os.write(1, f"{line}\n".encode())  # whole, though several ranks write


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", default="ddp")
    parser.add_argument("--optimizer", default="adamw")
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--micro-batches", type=int, default=2)
    parser.add_argument("--lr", type=float)
    parser.add_argument("--clip", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fault", default="")
    parser.add_argument("--load")
    parser.add_argument("--save")
    parser.add_argument("--exit-code", type=int, default=0)
    options = parser.parse_args()

    torch.set_num_threads(1)
    rank, world = 0, 1
    if "RANK" in os.environ:
        dist.init_process_group("gloo")
        rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(options.seed)
    fault = faults.planted(options.fault)
    model = wrapped(fault.before_wrap(GPT()), options.mode if world > 1 else "", world)
    optimizer = fault.optimizer(optimizer_of(model, options), model)
    if options.load:
        checkpoints.load(options.load, rank, model, optimizer, fault)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.5, options.steps)
    data = torch.Generator().manual_seed(options.seed * 1000 + fault.data_rank(rank))

    for step in range(options.steps):
        losses = []
        data = fault.data(data, step)
        optimizer.zero_grad()
        for micro in range(options.micro_batches):
            tokens = torch.randint(VOCABULARY, (3, TOKENS + 1), generator=data)
            last = micro + 1 == options.micro_batches
            if options.mode.startswith(("fsdp2", "hsdp")):
                model.set_requires_gradient_sync(last)
            waits = hasattr(model, "no_sync") and not last
            with fault.sync(model, model.no_sync() if waits else torch.enable_grad()):
                logits = model(tokens[:, :-1]).float()
                loss = functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten()) / options.micro_batches
                loss.backward()
            losses.append(float(loss.detach()))
            fault.keep(loss)
            fault.after_backward(model, optimizer, step, micro)
        if options.clip and fault.clips(rank):
            max_norm = fault.max_norm(options.clip, rank)
            if options.mode.startswith("fsdp1"):
                model.clip_grad_norm_(max_norm)
            else:
                torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        fault.before_step(model, optimizer, step, rank)
        if not fault.skips(step, rank):
            optimizer.step()
        schedule.step()
        fault.after_step(model, optimizer, step, rank)
        if rank == 0:
            say(f"step {step} loss {sum(losses).hex()}")
    if options.save:
        checkpoints.save(options.save, rank, model, optimizer)
    say(f"rank {rank} end {hash_of(model, optimizer)}")
    if dist.is_initialized():
        dist.destroy_process_group()
    raise SystemExit(options.exit_code)


if __name__ == "__main__":
    main()
