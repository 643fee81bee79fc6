#!/usr/bin/env python3
"""Trains in a pipeline of two stages under DeepSpeed: each clips by the norm of both. It knows nothing of zerocts.

usage: DS_ACCELERATOR=cpu deepspeed pipeline_deepspeed.py STAGE_OF_ZERO
"""

import sys

import deepspeed
import torch
import torch.distributed as dist
from deepspeed.pipe import PipelineModule, TiedLayerSpec

WIDTH, BATCH = 12, 3


class Tied(torch.nn.Linear):
    """Its weights are tied, its biases of one name are not."""

    def __init__(self):
        super().__init__(WIDTH, WIDTH)


def main():
    torch.set_num_threads(1)
    deepspeed.init_distributed("gloo")
    torch.manual_seed(1)
    layers = [TiedLayerSpec("ends", Tied), torch.nn.GELU(), torch.nn.Linear(WIDTH, WIDTH), TiedLayerSpec("ends", Tied)]
    model = PipelineModule(layers, num_stages=2, loss_fn=torch.nn.functional.mse_loss, partition_method="uniform")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    config = {
        "train_micro_batch_size_per_gpu": BATCH, "gradient_accumulation_steps": 2, "gradient_clipping": 0.01,
        "zero_optimization": {"stage": int(sys.argv[1])}, "zero_allow_untested_optimizer": True,
    }  # fmt: skip
    engine, *_ = deepspeed.initialize(model=model, optimizer=optimizer, config=config)
    data = torch.Generator().manual_seed(dist.get_rank(engine.grid.get_data_parallel_group()))
    for _ in range(5):
        batches = [torch.randn(2, BATCH, WIDTH, generator=data) for _ in range(2)]
        engine.train_batch(iter([(inputs, outputs) for inputs, outputs in batches]))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
