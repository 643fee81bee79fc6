"""A sharded AdamW that needs no DDP and no optimizer of torch: step averages, updates and broadcasts."""

import torch
import torch.distributed as dist


class ShardedAdamW(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})
        everything = [p for group in self.param_groups for p in group["params"]]
        self.parts = [everything[rank :: dist.get_world_size()] for rank in range(dist.get_world_size())]

    def add_param_group(self, group):
        super().add_param_group(group)
        for p in self.param_groups[-1]["params"] if hasattr(self, "parts") else []:
            min(self.parts, key=len).append(p)

    @torch.no_grad()
    def step(self):
        own = set(self.parts[dist.get_rank()])
        for group in self.param_groups:
            for p in group["params"]:
                dist.all_reduce(p.grad)
                p.grad /= dist.get_world_size()
                if p in own:
                    self.update(p, self.state[p], group)
        for rank, part in enumerate(self.parts):
            for p in part:
                dist.broadcast(p.data, rank)

    def update(self, p, state, group):
        if not state:
            state.update(step=0, exp_avg=torch.zeros_like(p), exp_avg_sq=torch.zeros_like(p))
        state["step"] += 1
        beta1, beta2 = group["betas"]
        p.mul_(1 - group["lr"] * group["weight_decay"])
        state["exp_avg"].lerp_(p.grad, 1 - beta1)
        state["exp_avg_sq"].mul_(beta2).addcmul_(p.grad, p.grad, value=1 - beta2)
        corrected = torch.sqrt(state["exp_avg_sq"]) / (1 - beta2 ** state["step"]) ** 0.5
        p.addcdiv_(state["exp_avg"], corrected.add_(group["eps"]), value=-group["lr"] / (1 - beta1 ** state["step"]))
