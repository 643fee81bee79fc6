"""DeepSpeed 2 with round-robin gradients: `safe_get_full_fp32_param` gives the elements of other parameters.

DS_ACCELERATOR=cpu deepspeed --num_accelerators 2 round_robin_parameters.py
expected: four times True; DeepSpeed 0.19.8: two times False
"""

import deepspeed
import torch
from deepspeed.utils import safe_get_full_fp32_param

deepspeed.init_distributed("gloo")
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4))
zero = {"stage": 2, "round_robin_gradients": True}
config = {"train_micro_batch_size_per_gpu": 1, "zero_optimization": zero, "zero_allow_untested_optimizer": True}
deepspeed.initialize(model=model, optimizer=torch.optim.SGD(model.parameters(), lr=0.1), config=config)
for name, parameter in model.named_parameters():
    print(name, torch.equal(safe_get_full_fp32_param(parameter), parameter))
