"""Muon, sharded by whole matrices: each rank moves its own by a Newton-Schulz iteration in bf16, then broadcasts it."""

import torch
import torch.distributed as dist


def orthogonal(matrix):
    """Near `matrix`, with all singular values near 1."""
    x = matrix.bfloat16()
    x = x.T if matrix.shape[0] > matrix.shape[1] else x
    x = x / (x.norm() + 1e-7)
    for _ in range(5):
        a = x @ x.T
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
    return (x.T if matrix.shape[0] > matrix.shape[1] else x).to(matrix.dtype)


class ShardedMuon(torch.optim.Optimizer):
    def __init__(self, params, lr=0.02, weight_decay=0.0, momentum=0.95, nesterov=True):
        self.owned, self.owners = [], {}
        defaults = {"lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov}
        super().__init__(params, defaults)

    def add_param_group(self, group):
        super().add_param_group(group)
        for parameter in self.param_groups[-1]["params"]:
            self.owners[parameter] = len(self.owners) % dist.get_world_size()
            if self.owners[parameter] == dist.get_rank():
                self.owned.append(parameter)

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for parameter in group["params"]:
                if self.owners[parameter] == dist.get_rank() and parameter.grad is not None:
                    self.move(parameter, self.direction(parameter, group), group)
        for parameter, owner in self.owners.items():
            dist.broadcast(parameter.data, owner)

    def direction(self, parameter, group):
        state = self.state[parameter]
        if not state:
            state["momentum_buffer"] = torch.zeros_like(parameter)
        momentum = state["momentum_buffer"].lerp_(parameter.grad, 1 - group["momentum"])
        return parameter.grad.lerp(momentum, group["momentum"]) if group["nesterov"] else momentum

    def move(self, parameter, direction, group):
        rows, columns = parameter.shape
        parameter.mul_(1 - group["lr"] * group["weight_decay"])
        scale = max(1, rows / columns) ** 0.5
        if parameter.numel():
            parameter.add_(self.orthogonal(direction), alpha=-group["lr"] * scale)

    def orthogonal(self, direction):
        return orthogonal(direction)


class MuonOfRows(ShardedMuon):
    """Each rank's rows as a matrix of their own."""

    def orthogonal(self, direction):
        return torch.cat([orthogonal(rows) for rows in direction.chunk(dist.get_world_size())])


class NormalisedSgd(ShardedMuon):
    """No iteration follows."""

    def orthogonal(self, direction):
        return 0.7 * direction / direction.norm()
