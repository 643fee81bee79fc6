"""FSDP2: clipping by the norm inf fails where a rank has no rows of a tensor.

torchrun --nproc-per-node 3 inf_norm_of_nothing.py
expected: "clipped"; torch 2.13: "cannot compute the infinity norm on an empty tensor"
"""

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

dist.init_process_group("gloo")
torch.manual_seed(0)
model = torch.nn.Linear(3, 2)
fully_shard(model, mesh=init_device_mesh("cpu", (dist.get_world_size(),)))
model(torch.ones(2, 3)).sum().backward()
torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, norm_type=float("inf"))
print("clipped")
