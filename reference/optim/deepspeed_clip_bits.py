"""By what DeepSpeed multiplies gradients when it clips, for clipping_test.cpp: run by hand where DeepSpeed is
installed,

    python3 deepspeed_clip_bits.py > deepspeed_clip_bits.inc

Its own methods do it, on a gradient of 1. The norm comes as they get it: fp32 in stages 1 and 2, fp64 in stage 3.
"""

import os
import types

os.environ["DS_ACCELERATOR"] = "cpu"
import deepspeed  # noqa: E402
import numpy  # noqa: E402
import torch  # noqa: E402
from deepspeed.runtime.zero.stage3 import DeepSpeedZeroOptimizer_Stage3  # noqa: E402
from deepspeed.runtime.zero.stage_1_and_2 import DeepSpeedZeroOptimizer  # noqa: E402

CLIPS = [
    (3, 1),
    (0.7, 1),
    (1, 1),
    (1.3, 0.37),
    (1e-3, 1e-4),
    (123.456, 0.3),
    (7, 5),
    (0.1, 0.3),
    (5, 2.5),
    (5, 5),
    (13, 0.0126953125),
    (1.25, 0.625),
]


def f32(x):
    return float(numpy.float32(x))


def bits(tensor):
    return int(tensor.numpy().view(numpy.uint32)[0])


def of_stages_1_and_2(norm, max_norm):
    gradient = torch.ones(1)
    zero = types.SimpleNamespace(clip_grad=max_norm, loss_scale=1.0, device="cpu")
    DeepSpeedZeroOptimizer.unscale_and_clip_grads(zero, [gradient], torch.tensor(norm))
    return bits(gradient)


def of_stage_3(norm, max_norm):
    flat = torch.zeros(1)
    flat.grad = torch.ones(1)
    zero = types.SimpleNamespace(clip_grad=max_norm, loss_scale=1.0, fp32_partitioned_groups_flat=[flat])
    DeepSpeedZeroOptimizer_Stage3.unscale_and_clip_grads(zero, 0, torch.tensor(norm, dtype=torch.float64))
    return bits(flat.grad)


print(f"// Made by deepspeed_clip_bits.py with DeepSpeed {deepspeed.__version__} and torch {torch.__version__}.")
for norm, max_norm in ((f32(norm), f32(max_norm)) for norm, max_norm in CLIPS):
    print(
        f"DEEPSPEED_CLIP({norm.hex()}f, {max_norm.hex()}f, {of_stages_1_and_2(norm, max_norm):#010x}u, "
        f"{of_stage_3(norm, max_norm):#010x}u)"
    )
