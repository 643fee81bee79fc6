"""FSDP1: the optimizer state of a unit cannot be saved where one group has momentum and the other has none.

torchrun --nproc-per-node 2 momentum_of_some.py
expected: "saved"; torch 2.13: "bias is not in the optimizer state"
"""

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

dist.init_process_group("gloo")
torch.manual_seed(0)
model = FSDP(torch.nn.Linear(3, 5), device_id=torch.device("cpu"), use_orig_params=True)
weight, bias = model.parameters()
optimizer = torch.optim.SGD([{"params": [weight], "momentum": 0.9}, {"params": [bias]}], lr=0.1)
model(torch.ones(2, 3)).sum().backward()
optimizer.step()
FSDP.optim_state_dict(model, optimizer)
print("saved")
