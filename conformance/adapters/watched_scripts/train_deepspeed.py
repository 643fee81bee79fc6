#!/usr/bin/env python3
"""Trains the GPT of train.py under DeepSpeed. It knows nothing of zerocts.

usage: DS_ACCELERATOR=cpu deepspeed train_deepspeed.py [--stage 2] [--dtype bf16] [--steps 8] ..
Prints the loss of each step in hexadecimal, and at the end a hash of the model and of what each rank steps.
"""

import argparse

import deepspeed
import deepspeed_faults
import torch
import torch.distributed as dist
from deepspeed.accelerator import get_accelerator
from torch.nn import functional
from train import GPT, TOKENS, VOCABULARY, hash_of_tensors, say


def configuration(options):
    zero = {"stage": options.stage, "stage3_param_persistence_threshold": options.persistent}
    zero.update(dict.fromkeys(options.switch, True))
    if options.offload:
        zero["offload_optimizer"] = {"device": "cpu"}
    if options.bucket:
        zero.update(reduce_bucket_size=options.bucket, allgather_bucket_size=options.bucket)
    scaling = {"initial_scale_power": options.scale_power, "loss_scale_window": options.scale_window, "hysteresis": 1}
    return {
        "train_micro_batch_size_per_gpu": 3,
        "gradient_accumulation_steps": 1 if options.backwards else options.micro_batches,
        "gradient_clipping": options.clip, "zero_optimization": zero, "zero_allow_untested_optimizer": True,
        "zero_force_ds_cpu_optimizer": False, "bf16": {"enabled": options.dtype == "bf16"},
        "fp16": {"enabled": options.dtype == "fp16", **scaling}, "steps_per_print": 10**9,
        "torch_autocast": {"enabled": options.dtype == "autocast", "dtype": "bfloat16"},
    }  # fmt: skip


def groups_of(model):
    """Without decay of vectors, as most people train."""
    matrices, vectors = ([p for p in model.parameters() if (p.ndim > 1) == matrix] for matrix in (True, False))
    return [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--stage", type=int, default=2)
    parser.add_argument("--dtype", default="fp32", choices=("fp32", "bf16", "fp16", "autocast"))
    parser.add_argument("--optimizer", default="adamw", choices=("adamw", "sgd"))
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--micro-batches", type=int, default=2)
    parser.add_argument(
        "--backwards", choices=("marked", "unmarked"), help="of all micro-batches before one step of the engine"
    )
    parser.add_argument("--clip", type=float, default=1.0)
    parser.add_argument("--groups", type=int, default=1)
    parser.add_argument("--bucket", type=int)
    parser.add_argument("--persistent", type=int, default=0)
    parser.add_argument("--offload", action="store_true")
    parser.add_argument("--switch", action="append", default=[], help="of zero_optimization, to be true")
    parser.add_argument("--scale-power", type=int, default=8)
    parser.add_argument("--scale-window", type=int, default=1000)
    parser.add_argument("--fault", default="")
    options = parser.parse_args()

    torch.set_num_threads(1)
    type(get_accelerator()).is_fp16_supported = lambda self: True  # slow there, but it runs
    deepspeed.init_distributed("gloo")
    rank = dist.get_rank()
    torch.manual_seed(1)
    fault = deepspeed_faults.planted(options.fault)
    model = GPT()
    fault.before_engine(model, rank)
    groups = groups_of(model) if options.groups == 2 else list(model.parameters())
    made = {"adamw": (torch.optim.AdamW, 1e-3), "sgd": (torch.optim.SGD, 0.1)}
    kind, lr = made[options.optimizer]
    config = configuration(options)
    engine, optimizer, _, _ = deepspeed.initialize(model=model, optimizer=kind(groups, lr=lr), config=config)
    fault.after_engine(model, optimizer)

    data = torch.Generator().manual_seed(1000 + rank)
    for step in range(options.steps):
        fault.begin_step(optimizer, step, rank)
        for micro in range(options.micro_batches):
            is_last = micro == options.micro_batches - 1
            if options.backwards == "marked":
                engine.set_gradient_accumulation_boundary(is_last)
            tokens = torch.randint(VOCABULARY, (3, TOKENS + 1), generator=data)
            logits = engine(tokens[:, :-1]).float()
            loss = functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
            engine.backward(loss)
            fault.after_backward(engine, optimizer)
            if is_last or not options.backwards:
                engine.step()
        if rank == 0:
            say(f"step {step} loss {loss.detach().item().hex()}")
    copies = [p for group in getattr(optimizer, "optimizer", optimizer).param_groups for p in group["params"]]
    say(f"rank {rank} end {hash_of_tensors([*model.parameters(), *copies])}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
