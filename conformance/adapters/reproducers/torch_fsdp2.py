# {shows: bf16, no elements, frozen parameters}
"""{description}"""
import contextlib
import datetime
import os
import tempfile  # {only: resume save_only}
from pathlib import Path  # {only: load damaged}

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as checkpoint  # {only: load resume save_only}
from torch.distributed.checkpoint import state_dict  # {only: load resume save_only}
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

# {case}


# {linear_probe}


class Root(torch.nn.Module):
    """Children of two parameters each, which are sharded one by one."""

    def __init__(self, tensors):
        super().__init__()
        self.units = torch.nn.ModuleList(LinearProbe(tensors[i:i + 2]) for i in range(0, len(tensors), 2))

    def forward(self, gradients):
        return torch.stack([unit(gradients[2 * i:2 * i + 2]) for i, unit in enumerate(self.units)]).sum()


# {comparison}


# {start}


def freeze(parameters, step):  # {only: frozen}
    for p, parameter in enumerate(parameters):  # {only: frozen}
        parameter.requires_grad_(p not in FROZEN[step])  # {only: frozen}


# {training}


def build(own):
    model = Root(own)
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32) if BF16 else MixedPrecisionPolicy()
    for module in [*model.units, model]:
        fully_shard(module, mesh=mesh, reshard_after_forward=RESHARD, mp_policy=policy)
    parameters = [parameter for unit in model.units for parameter in unit.tensors]  # DTensors now
    groups = [{**group, "params": [parameters[p] for p in group["params"]]} for group in GROUPS]
    return model, OPTIMIZER(groups, **DEFAULTS), parameters


# {checkpoints}


def main():
    start()
    model, optimizer, parameters = build(first_values())

    def reducing(is_last):
        model.set_requires_gradient_sync(SYNC_EVERY_MICRO_BATCH or is_last)
        return contextlib.nullcontext()

    for begin, end in LEGS:
# {between_legs}
        mean, norm = train(model, optimizer, parameters, range(len(GROUPS)), reducing, range(begin, end))
# {leaving}

    def got(what, p):
        values = {"parameter": parameters, "master": parameters, "gradient": mean, "grad_norm": [norm]}
        tensor = values[what][p] if what in values else optimizer.state.get(parameters[p], {}).get(what)
        tensor = tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor
        return tensor.bfloat16().float() if BF16 and what == "parameter" else tensor

    compare(got)


main()

# --- saved
def state_of(model, optimizer):
    of_model, of_optimizer = state_dict.get_state_dict(model, optimizer)
    return {"model": of_model, "optimizer": of_optimizer}


def saved(model, optimizer):
    """The folder."""
    folder = common_folder()
    checkpoint.save(state_of(model, optimizer), checkpoint_id=folder)
    return folder

# --- loaded
def loaded(folder):
    """A model and an optimizer made anew, with other values, into which the checkpoint is loaded."""
    model, optimizer, parameters = build(first_values(fresh=True))
    freeze(parameters, LEGS[0][1] - 1)  # as when it was saved  # {only: frozen}

    def load():
        state = state_of(model, optimizer)
        checkpoint.load(state, checkpoint_id=folder)
        state_dict.set_state_dict(model, optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"])

    load()  # {only: whole}
    damage(folder)  # {only: damaged}
    expect_refusal(load, folder)  # {only: damaged}
    return model, optimizer, parameters
