"""What PyTorch computes, for torch_formula_test.cpp: run by hand where torch is installed,

    python3 torch_formula_bits.py > torch_formula_bits.inc

Optimizers run their loops over single tensors (foreach=False, fused=False) on the CPU, in fp32, with hyper-parameters
that are fp32 values. Each case runs once with the kernels that torch chose and once with those for any x86 CPU
(ATEN_CPU_CAPABILITY=default), which have no fma.

The square root of torch is MKL's, where torch was built with MKL, and that one is not always the nearest float: on a
CPU with AVX-512 it missed 6,485 of a million. Its code for AVX2 missed none, so that is what the cases run with
(MKL_ENABLE_INSTRUCTIONS=AVX2); how many parameters another root would have changed is printed beside them.
"""

import os
import subprocess
import sys
import tempfile

import numpy
import torch

NUMEL, STEPS = 10007, 20  # no multiple of any vector


def f32(x):
    return float(numpy.float32(x))


CASES = {
    "adamw": (torch.optim.AdamW, dict(lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01)),
    "adamw_no_decay": (torch.optim.AdamW, dict(lr=1e-3, betas=(0.9, 0.95), eps=1e-6, weight_decay=0.0)),
    "adamw_large_decay": (torch.optim.AdamW, dict(lr=0.3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.1)),
    "adamw_small_betas": (torch.optim.AdamW, dict(lr=0.02, betas=(0.3, 0.5), eps=1e-3, weight_decay=0.1)),
    "adam": (torch.optim.Adam, dict(lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0)),
    "adam_decay": (torch.optim.Adam, dict(lr=1e-3, betas=(0.875, 0.99), eps=1e-8, weight_decay=0.1)),
    "sgd": (torch.optim.SGD, dict(lr=0.1)),
    "sgd_decay": (torch.optim.SGD, dict(lr=0.1, weight_decay=0.01)),
    "sgd_momentum": (torch.optim.SGD, dict(lr=0.1, momentum=0.9, weight_decay=0.01)),
    "sgd_dampening": (torch.optim.SGD, dict(lr=0.1, momentum=0.9, dampening=0.3)),
    "sgd_nesterov": (torch.optim.SGD, dict(lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01)),
}


def values(seed):
    """Multiples of 2^-23 in [-1, 1): exact in fp32, the same in C++."""
    i = numpy.arange(NUMEL, dtype=numpy.uint64)
    word = (i * 2654435761 + seed * 2246822519) % 2**32
    word = (word ^ (word >> 15)) * 2246822519 % 2**32
    return ((word ^ (word >> 13)) >> 8).astype(numpy.float32) / numpy.float32(2**23) - numpy.float32(1)


def fnv(tensor):
    hash64 = 0xCBF29CE484222325
    for bits in tensor.detach().numpy().view(numpy.uint32).tolist():
        hash64 = (hash64 ^ bits) * 0x100000001B3 % 2**64
    return hash64


def rounded(value):
    if isinstance(value, tuple):
        return tuple(rounded(x) for x in value)
    return f32(value) if isinstance(value, float) else value


def run_case(kind, options):
    p = torch.nn.Parameter(torch.from_numpy(values(1)))
    options = {name: rounded(value) for name, value in options.items()}
    optimizer = kind([p], foreach=False, fused=False, **options)
    for step in range(STEPS):
        p.grad = torch.from_numpy(values(100 + step))
        optimizer.step()
    state = optimizer.state[p]
    zeros = torch.zeros(NUMEL)
    first = state.get("exp_avg", state.get("momentum_buffer"))
    return p, zeros if first is None else first, state.get("exp_avg_sq", zeros)


def save_parameters(path):
    numpy.savez(path, **{name: run_case(*case)[0].detach().numpy() for name, case in CASES.items()})


def print_optimizers():
    products = "fused" if torch.backends.cpu.get_cpu_capability() in ("AVX2", "AVX512") else "rounded"
    for name, (kind, options) in CASES.items():
        hashes = ", ".join(f"{fnv(t):#018x}u" for t in run_case(kind, options))
        print(f'TORCH_OPTIMIZER("{name}", "{products}", {hashes})')


def print_clipping():
    for norm, max_norm in [(3, 1), (0.7, 1), (1, 1), (1.3, 0.37), (1e-3, 1e-4), (123.456, 0.3), (7, 5), (0.1, 0.3)]:
        norm, max_norm = f32(norm), f32(max_norm)
        p = torch.nn.Parameter(torch.ones(1))
        p.grad = torch.ones(1)
        torch.nn.utils.clip_grads_with_norm_([p], max_norm, torch.tensor(norm), foreach=False)
        print(f"TORCH_CLIP({norm.hex()}f, {max_norm.hex()}f, {p.grad.numpy().view(numpy.uint32)[0]:#010x}u)")


def print_loss_scale():
    """Overflows at the steps marked x, growth every 3 good steps; the scale after each step."""
    pattern = "....x.xx......x...xxxx........"
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0, growth_interval=3)
    p = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([p], lr=0.0)
    scales = []
    for mark in pattern:
        scaler.scale((p * 1.0).sum())  # makes the scale
        p.grad = torch.tensor([float("inf") if mark == "x" else 1.0])
        scaler.step(optimizer)
        scaler.update()
        scales.append(f"{scaler.get_scale():g}")
    print(f'TORCH_LOSS_SCALE("{pattern}", {{{", ".join(scales)}}})')


if __name__ == "__main__":
    if "--optimizers" in sys.argv:
        print_optimizers()
        sys.exit()
    if "--save" in sys.argv:
        save_parameters(sys.argv[-1])
        sys.exit()

    def run_again(*arguments, **environment):
        sys.stdout.flush()
        subprocess.run([sys.executable, __file__, *arguments], env=dict(os.environ, **environment), check=True)

    nearest_root = {"MKL_ENABLE_INSTRUCTIONS": "AVX2"}
    print(f"// Made by torch_formula_bits.py with torch {torch.__version__}.")
    run_again("--optimizers", **nearest_root)
    run_again("--optimizers", ATEN_CPU_CAPABILITY="default", **nearest_root)
    with tempfile.TemporaryDirectory() as folder:
        run_again("--save", f"{folder}/chosen.npz")
        run_again("--save", f"{folder}/nearest.npz", **nearest_root)
        chosen, nearest = numpy.load(f"{folder}/chosen.npz"), numpy.load(f"{folder}/nearest.npz")
        for name in CASES:
            differ = (chosen[name].view(numpy.uint32) != nearest[name].view(numpy.uint32)).sum()
            print(f"// {name}: {differ} of {NUMEL} parameters are others with the root that MKL chose on this CPU")
    print_clipping()
    print_loss_scale()
