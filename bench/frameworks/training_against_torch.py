#!/usr/bin/env python3
"""Speed of a whole GPT training step: the reference (bit-exact, fp32) against PyTorch eager on the same CPU.

usage: training_against_torch.py ZEROCTS [--rounds N] [--out RECORDS]

Same shapes, same number of threads, AdamW, clipping by the global norm, one micro-batch per step. The two take turns,
so that a noisy moment hits both; the best and the median of the rounds count. Prints tokens per second and the ratio,
and what part of this CPU's measured fp32 matrix-product speed (torch.mm, the same threads) the reference's step
reaches. Exit code 77 where torch is missing.
"""

import argparse
import re
import statistics
import subprocess
import sys
import time

from records import Records, add_option

try:
    import torch
    import torch.nn as nn
    import torch.nn.functional as F
except ImportError as missing:
    print(f"skipped: {missing}; pip install torch numpy")
    sys.exit(77)

# layers, width, heads, context, sequences per step, steps per round
SIZES = {"tiny": (2, 64, 2, 32, 8, 150), "small": (6, 384, 6, 256, 4, 8)}
VOCAB = 256


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp_in, self.mlp_out = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def queries_keys_values(self, qkv):
        """Each [sequence, head, token, channel]."""
        return (part.unflatten(2, (self.heads, -1)).transpose(1, 2) for part in qkv.chunk(3, 2))

    def forward(self, x):
        q, k, v = self.queries_keys_values(self.qkv(self.norm1(x)))
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).flatten(2))
        return x + self.mlp_out(F.gelu(self.mlp_in(self.norm2(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self, layers, width, heads, context, vocab=VOCAB, block=Block):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocab, width), nn.Embedding(context, width)
        self.blocks = nn.ModuleList(block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, inputs):
        x = self.tokens(inputs) + self.positions.weight
        for block in self.blocks:
            x = block(x)
        return self.norm(x) @ self.tokens.weight.T


class TorchTraining:
    def __init__(self, size):
        layers, width, heads, context, batch, self.steps = SIZES[size]
        self.model = Gpt(layers, width, heads, context)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)
        self.inputs = torch.randint(0, VOCAB, (batch, context))
        self.targets = torch.randint(0, VOCAB, (batch, context))
        self.step()

    def step(self):
        self.optimizer.zero_grad()
        F.cross_entropy(self.model(self.inputs).flatten(0, 1), self.targets.flatten()).backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()

    def tokens_per_second(self):
        start = time.perf_counter()
        for _ in range(self.steps):
            self.step()
        return self.steps * self.inputs.numel() / (time.perf_counter() - start)


def reference_tokens_per_second(program, size, threads):
    batch, steps = SIZES[size][4], SIZES[size][5]
    options = f"--model {size} --batch {batch} --micro-batches 1 --steps {steps} --threads {threads}"
    command = [program, "train", *options.split()]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return float(re.search(r"(\d+) predicted tokens/s", printed).group(1))


def step_flop_per_token(size):
    """Matrix products alone: 6 per weight and token, and 12 * layers * width * (context + 1) / 2 for causal
    attention.
    """
    layers, width, _, context, _, _ = SIZES[size]
    return 6 * (12 * layers * width**2 + VOCAB * width) + 12 * layers * width * (context + 1) // 2


def product_flop_per_second():
    n = 1024
    a, b = torch.rand(n, n), torch.rand(n, n)
    times = []
    for _ in range(8):
        start = time.perf_counter()
        torch.mm(a, b)
        times.append(time.perf_counter() - start)
    return 2 * n**3 / min(times)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--rounds", type=int, default=7)
    add_option(arguments)
    arguments = arguments.parse_args()
    records = Records(arguments.program, arguments.out)
    print(f"torch {torch.__version__}, {arguments.rounds} rounds; tokens/s: best (median)")
    print(f"{'model':<7}{'threads':>8}{'reference':>22}{'torch eager':>22}{'ratio':>14}{'of torch.mm':>13}")
    for size in SIZES:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            training = TorchTraining(size)
            ours, theirs = [], []
            for _ in range(arguments.rounds):
                ours.append(reference_tokens_per_second(arguments.program, size, threads))
                theirs.append(training.tokens_per_second())
            case = {"model": size, "threads": threads, "torch": torch.__version__}
            for subject, rates in (("reference", ours), ("torch eager", theirs)):
                records.add(subject, "tokens_per_second_beside_torch", case, "1/s", "bigger", rates)
            utilisation = max(ours) * step_flop_per_token(size) / product_flop_per_second()
            cells = [f"{max(x):,.0f} ({statistics.median(x):,.0f})" for x in (ours, theirs)]
            ratio = f"{max(ours) / max(theirs):.2f} ({statistics.median(ours) / statistics.median(theirs):.2f})"
            print(f"{size:<7}{threads:>8}{cells[0]:>22}{cells[1]:>22}{ratio:>14}{utilisation:>13.2f}", flush=True)
    records.write()


if __name__ == "__main__":
    main()
