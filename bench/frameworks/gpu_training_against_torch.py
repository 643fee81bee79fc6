#!/usr/bin/env python3
"""Speed of training gpt2-124m in bf16 on one GPU: the engine with products by cuBLAS against PyTorch eager.

usage: gpu_training_against_torch.py CUDA_SPEED [--rounds N] [--batch N]

Same shapes, AdamW, one micro-batch per step. PyTorch runs its math attention and deterministic algorithms. The two take
turns, so that a noisy moment hits both; medians count. Prints a line of JSON as cuda_speed does. Exit code 77 and a
sentence where PyTorch, a GPU or cuBLAS is missing.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

os.environ.setdefault(
    "CUBLAS_WORKSPACE_CONFIG", ":4096:8"
)  # wanted by deterministic algorithms, before torch is imported
from training_against_torch import F, Gpt, torch  # noqa: E402

LAYERS, WIDTH, HEADS, CONTEXT, VOCAB = 12, 768, 12, 1024, 50257
STEPS = 10


def not_run(reason):
    print(f"not run: {reason}")
    sys.exit(77)


class TorchTraining:
    def __init__(self, batch):
        torch.use_deterministic_algorithms(True)
        self.model = Gpt(LAYERS, WIDTH, HEADS, CONTEXT, VOCAB).to("cuda", torch.bfloat16)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4, betas=(0.9, 0.95), weight_decay=0.1)
        self.inputs = torch.randint(0, VOCAB, (batch, CONTEXT), device="cuda")
        self.targets = torch.randint(0, VOCAB, (batch, CONTEXT), device="cuda")
        self.step()

    def step(self):
        self.optimizer.zero_grad()
        with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
            F.cross_entropy(self.model(self.inputs).flatten(0, 1), self.targets.flatten()).backward()
        self.optimizer.step()

    def seconds_per_step(self):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(STEPS):
            self.step()
        torch.cuda.synchronize()
        return (time.perf_counter() - start) / STEPS


def engine_record(program, batch):
    printed = subprocess.run(
        [program, "--only", "training", "--batch", str(batch), "--steps", str(STEPS)],
        capture_output=True,
        text=True,
        check=False,
    )
    lines = (printed.stdout + printed.stderr).splitlines()
    if printed.returncode == 77:
        not_run(lines[-1].removeprefix("not run: "))
    if printed.returncode != 0:
        sys.exit(f"{program}: {lines[-1] if lines else 'it says nothing'}")
    record = json.loads(lines[-1])
    if record["error"]:
        not_run(record["error"].removeprefix("not run: "))
    return record


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--batch", type=int, default=4)
    arguments = arguments.parse_args()
    if not torch.cuda.is_available():
        not_run(f"torch {torch.__version__} sees no GPU")
    training = TorchTraining(arguments.batch)
    records, theirs = [], []
    for _ in range(arguments.rounds):
        records.append(engine_record(arguments.program, arguments.batch))
        theirs.append(training.seconds_per_step())
    seconds = statistics.median(record["case"]["seconds"] for record in records)
    tokens = arguments.batch * CONTEXT
    beside_torch = {
        "name": f"training of gpt2-124m in bf16, {arguments.batch} sequences, in turns",
        "value": tokens / seconds,
        "samples": [record["value"] for record in records],
        "bound": {"name": f"torch {torch.__version__} eager", "value": tokens / statistics.median(theirs)},
        "case": {"seconds": seconds, "goal": 0.9},
    }
    print(json.dumps(records[-1] | beside_torch))


if __name__ == "__main__":
    main()
