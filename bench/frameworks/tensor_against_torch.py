#!/usr/bin/env python3
"""A training step whose layers two tensor ranks split, against PyTorch's parallelize_module on gloo, on this machine.

usage: tensor_against_torch.py TENSOR_BENCH [--model tiny|small] [--rounds N] [--steps N] [--out RECORDS]

PyTorch: Colwise and Rowwise layers, with SequenceParallel norms in the last row; a packed qkv, head by head, so that a
block needs two sums forward and two backward, as ours; fused AdamW, no clipping. Ours: tensor_bench, ranks that are
processes, with the exact norm. The same GPT in fp32, tied, its head on every rank; one or two processes of one thread
each. All take turns, so that a noisy moment hits all; a step is that of the slower rank. The last loss of PyTorch's
ranks must be near that of its single rank. Exit code 77 where torch is missing.
"""

import argparse
import os
import statistics
import sys
import time

from records import Records, add_option, records_of

try:
    import torch
    import torch.distributed as dist
    import torch.multiprocessing as processes
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import DTensor, Replicate, Shard
    from torch.distributed.tensor.parallel import (
        ColwiseParallel,
        PrepareModuleInput,
        PrepareModuleOutput,
        RowwiseParallel,
        SequenceParallel,
        parallelize_module,
    )
    from training_against_torch import SIZES, VOCAB, Block, F, Gpt, nn
    from zero1_against_torch import free_port
except ImportError as missing:
    print(f"skipped: {missing}; see bench/README.md for the environment")
    sys.exit(77)

RANKS = 2
SPLITS = ("nothing", "layers", "sequence")  # as tensor_bench names them
TOKENS = Shard(1)  # of [sequence, token, channel]


class HeadwiseBlock(Block):
    """q, k and v of a head stand together, so that equal parts of the columns are whole heads."""

    def queries_keys_values(self, qkv):
        channels = self.out.weight.shape[0] // self.heads
        return qkv.unflatten(2, (-1, 3, channels)).transpose(1, 2).unbind(3)


class SplitGpt(Gpt):
    """A Gpt with a layer at which its tokens can be divided, and one at which they come together again."""

    def __init__(self, layers, width, heads, context):
        super().__init__(layers, width, heads, context, block=HeadwiseBlock)
        self.begin, self.end = nn.Identity(), nn.Identity()
        for embedding in (self.tokens, self.positions):
            nn.init.normal_(embedding.weight, std=0.02)  # so small that losses depend on the layers

    def forward(self, inputs):
        x = self.begin(self.tokens(inputs) + self.positions.weight)
        for block in self.blocks:
            x = block(x)
        return F.linear(self.end(self.norm(x)), self.tokens.weight)


def plan_of(split):
    """What parallelize_module makes of which modules."""
    if split == "nothing":
        return {}
    if split == "layers":
        column, row, more = ColwiseParallel(), RowwiseParallel(), {}
    else:
        column, row = ColwiseParallel(input_layouts=TOKENS), RowwiseParallel(output_layouts=TOKENS)
        divide = PrepareModuleInput(input_layouts=Replicate(), desired_input_layouts=TOKENS, use_local_output=True)
        unite = PrepareModuleOutput(output_layouts=TOKENS, desired_output_layouts=Replicate())
        norms = ("norm", "blocks.*.norm1", "blocks.*.norm2")
        more = {"begin": divide, "end": unite} | {name: SequenceParallel() for name in norms}
    columns, rows = ("blocks.*.qkv", "blocks.*.mlp_in"), ("blocks.*.out", "blocks.*.mlp_out")
    return {name: column for name in columns} | {name: row for name in rows} | more


class Training:
    def __init__(self, size, split, ranks):
        layers, width, heads, context, batch, _ = SIZES[size]
        torch.manual_seed(1)
        self.model = SplitGpt(layers, width, heads, context)
        self.inputs = torch.randint(0, VOCAB, (batch, context))
        self.targets = torch.randint(0, VOCAB, (batch, context))
        if ranks > 1:
            parallelize_module(self.model, init_device_mesh("cpu", (ranks,)), plan_of(split))
        parameters = list(self.model.parameters())
        groups = [[p for p in parameters if isinstance(p, DTensor) == is_split] for is_split in (False, True)]
        self.optimizer = torch.optim.AdamW(
            [{"params": group} for group in groups if group], lr=1e-4, betas=(0.9, 0.95), weight_decay=0.1, fused=True
        )

    def step(self):
        self.optimizer.zero_grad()
        loss = F.cross_entropy(self.model(self.inputs).flatten(0, 1), self.targets.flatten())
        loss.backward()
        self.optimizer.step()
        return loss.item()


def run_rank(rank, ranks, port, size, split, steps, seconds, losses):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=ranks)
    training = Training(size, split, ranks)
    training.step()  # makes the state
    for step in range(steps):
        dist.barrier()
        begin = time.perf_counter()
        losses[rank] = training.step()
        seconds[rank * steps + step] = time.perf_counter() - begin
    dist.destroy_process_group()


def torch_seconds(size, split, steps):
    """The seconds of each step, and the last loss, of which every rank must have the same."""
    ranks = 1 if split == "nothing" else RANKS
    spawning = processes.get_context("spawn")
    seconds, losses = spawning.Array("d", ranks * steps), spawning.Array("d", ranks)
    processes.spawn(run_rank, args=(ranks, free_port(), size, split, steps, seconds, losses), nprocs=ranks)
    assert all(loss == losses[0] for loss in losses), list(losses)
    return [max(seconds[rank * steps + step] for rank in range(ranks)) for step in range(steps)], losses[0]


def our_seconds(program, size, steps):
    """By what is split."""
    options = f"--model {size} --ranks {RANKS} --rounds 1 --steps {steps}"
    records = records_of(program, *options.split())
    return {record["case"]["split"]: record["samples"] for record in records}


def print_row(name, split, seconds, whole, theirs):
    median = statistics.median(seconds)
    to_bound = "" if split == "nothing" else f"{RANKS * median / statistics.median(whole):.3f}"
    print(
        f"{name:<9}{split:<10}{1e3 * median:>10.1f}{1e3 * min(seconds):>10.1f}{to_bound:>20}"
        f"{statistics.median(theirs) / median:>22.2f}"
    )


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--model", choices=SIZES, default="small")
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--steps", type=int, default=5, help="of each round")
    add_option(arguments)
    arguments = arguments.parse_args()
    ours, theirs = ({split: [] for split in SPLITS} for _ in range(2))
    for _ in range(arguments.rounds):
        results = our_seconds(arguments.program, arguments.model, arguments.steps)
        losses = {}
        for split in SPLITS:
            ours[split] += results[split]
            seconds, losses[split] = torch_seconds(arguments.model, split, arguments.steps)
            theirs[split] += seconds
        assert max(losses.values()) - min(losses.values()) < 1e-4, losses
    print(
        f"torch {torch.__version__}, GPT {arguments.model}, {arguments.rounds} rounds of {arguments.steps} steps in "
        f"turns, load {os.getloadavg()[0]:.1f}; ms per step"
    )
    print(f"{'':<9}{'split':<10}{'median':>10}{'least':>10}{'to one rank / 2':>20}{'torch / this':>22}")
    records = Records(arguments.program, arguments.out)
    for name, all_seconds in (("torch", theirs), ("zerocts", ours)):
        for split in SPLITS:
            case = {"model": arguments.model, "ranks": RANKS, "split": split, "torch": torch.__version__}
            records.add(name, "training_step_beside_torch", case, "s", "smaller", all_seconds[split])
            print_row(name, split, all_seconds[split], all_seconds["nothing"], theirs[split])
    records.write()


if __name__ == "__main__":
    main()
