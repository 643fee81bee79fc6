import torch.distributed.checkpoint as checkpoint
from torch.distributed.checkpoint import state_dict
