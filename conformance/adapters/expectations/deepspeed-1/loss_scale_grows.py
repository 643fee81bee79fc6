"""DeepSpeed, fp16: in the step in which the dynamic loss scale grows, the gradient is divided by the new scale.

DS_ACCELERATOR=cpu deepspeed --num_accelerators 2 loss_scale_grows.py
expected: each step moves the weight by -0.5; DeepSpeed 0.19.8: that of step 3 by -0.25
"""

import deepspeed
import torch
from deepspeed.accelerator import get_accelerator

type(get_accelerator()).is_fp16_supported = lambda self: True  # a CPU can
deepspeed.init_distributed("gloo")
model = torch.nn.Linear(1, 1, bias=False)
torch.nn.init.constant_(model.weight, 8.0)
scaling = {"enabled": True, "initial_scale_power": 4, "loss_scale_window": 3}
config = {
    "train_micro_batch_size_per_gpu": 1,
    "fp16": scaling,
    "zero_optimization": {"stage": 1},
    "zero_allow_untested_optimizer": True,
}
engine, *_ = deepspeed.initialize(model=model, optimizer=torch.optim.SGD(model.parameters(), lr=0.5), config=config)
before = 8.0
for step in range(6):
    engine.backward(engine(torch.ones(1, 1, dtype=torch.half)).sum())
    engine.step()
    after = float(engine.module.weight)
    print("step", step, "moved by", after - before, "loss scale", engine.optimizer.loss_scale)
    before = after
