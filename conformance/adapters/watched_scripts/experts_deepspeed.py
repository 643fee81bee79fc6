#!/usr/bin/env python3
"""Trains under DeepSpeed with two experts on two ranks each, by one name. It knows nothing of zerocts.

usage: DS_ACCELERATOR=cpu deepspeed --num_accelerators 4 experts_deepspeed.py STAGE_OF_ZERO
"""

import sys

import deepspeed
import torch
import torch.distributed as dist
from deepspeed.moe.layer import MoE
from deepspeed.moe.utils import split_params_into_different_moe_groups_for_optimizer as groups_of

WIDTH, BATCH = 6, 5


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = torch.nn.Linear(WIDTH, WIDTH), torch.nn.Linear(WIDTH, WIDTH)
        self.experts = MoE(WIDTH, torch.nn.Linear(WIDTH, WIDTH), num_experts=2, ep_size=2, k=1, min_capacity=2)

    def forward(self, inputs):
        outputs, balance, _ = self.experts(self.first(inputs))
        return self.last(outputs), balance


def main():
    torch.set_num_threads(1)
    deepspeed.init_distributed("gloo")
    torch.manual_seed(1)
    model = Model()
    groups = groups_of({"params": list(model.parameters()), "name": "all"})
    config = {
        "train_micro_batch_size_per_gpu": BATCH, "gradient_clipping": 0.01,
        "zero_optimization": {"stage": int(sys.argv[1])}, "zero_allow_untested_optimizer": True,
    }  # fmt: skip
    optimizer = torch.optim.AdamW(groups, lr=1e-3)
    engine, *_ = deepspeed.initialize(model=model, optimizer=optimizer, config=config)
    data = torch.Generator().manual_seed(dist.get_rank())
    for _ in range(5):
        outputs, balance = engine(torch.randn(BATCH, WIDTH, generator=data))
        engine.backward(outputs.square().mean() + 0.01 * balance)
        engine.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
