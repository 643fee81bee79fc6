"""Checkpoints of train.py: a file for each rank, with what it holds of parameters and optimizer state."""

import torch
from fault import local_of


def save(path, rank, model, optimizer):
    states = [{key: local_of(value) for key, value in optimizer.state[p].items()} for p in model.parameters()]
    torch.save({"parameters": [local_of(p).detach() for p in model.parameters()], "states": states}, f"{path}{rank}")


def load(path, rank, model, optimizer, fault):
    saved, states = torch.load(f"{path}{rank}")["parameters"], torch.load(f"{path}{fault.state_of(rank)}")["states"]
    for parameter, value, state in zip(model.parameters(), saved, states):
        local_of(parameter).detach().copy_(value)
        state = fault.loaded(state)
        if all(tensor.shape == value.shape for tensor in state.values() if tensor.dim()):
            optimizer.state[parameter] = {key: like(parameter, tensor) for key, tensor in state.items()}


def like(parameter, tensor):
    if not hasattr(parameter, "to_local") or not tensor.dim():
        return tensor
    where = {"shape": parameter.shape, "stride": parameter.stride()}
    return torch.distributed.tensor.DTensor.from_local(tensor, parameter.device_mesh, parameter.placements, **where)
