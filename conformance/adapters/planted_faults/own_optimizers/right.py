"""A ZeRO-1 as a course has it: whole tensors go to ranks in turn; each rank updates its own, and broadcasts them."""

import contextlib

import torch
import torch.distributed as dist


class ShardedOptimizer(torch.optim.Optimizer):
    def __init__(self, params, optimizer_cls, **kwargs):
        self.optimizer_cls, self.kwargs = optimizer_cls, kwargs
        self.rank, self.world_size = dist.get_rank(), dist.get_world_size()
        self.owner, self.inner = {}, None
        super().__init__(params, kwargs)

    def add_param_group(self, group):
        super().add_param_group(group)
        group = self.param_groups[-1]
        for parameter in group["params"]:
            self.owner[parameter] = len(self.owner) % self.world_size
        own = {**group, "params": [p for p in group["params"] if self.owner[p] == self.rank]}
        if self.inner is None:
            self.inner = self.optimizer_cls([own], **self.kwargs)
        else:
            self.inner.add_param_group(own)

    def step(self, closure=None):
        for ours, theirs in zip(self.inner.param_groups, self.param_groups):
            ours.update({key: value for key, value in theirs.items() if key != "params"})
        loss = self.inner.step(closure)
        for parameter, owner in self.owner.items():
            dist.broadcast(parameter.data, self.root_of(owner))
        return loss

    def root_of(self, owner):
        return owner

    def consolidate_state_dict(self, to=0):
        """Brings the state of all ranks to one, for state_dict."""
        own = {i: self.inner.state[p] for i, p in enumerate(self.owner) if p in self.inner.state}
        gathered = [None] * self.world_size if self.rank == to else None
        dist.gather_object(own, gathered, to)
        self.gathered = {i: state for states in gathered or [] for i, state in states.items()}

    def state_dict(self):
        groups = [{key: value for key, value in g.items() if key != "params"} for g in self.param_groups]
        return {"state": self.gathered, "param_groups": groups}

    def load_state_dict(self, saved):
        for group, values in zip(self.param_groups, saved["param_groups"]):
            group.update(values)
        for i, parameter in enumerate(self.owner):
            if self.owner[parameter] == self.rank and i in saved["state"]:
                self.inner.state[parameter] = {key: value.clone() for key, value in saved["state"][i].items()}


class OfTensorsAlone(ShardedOptimizer):
    """Made of groups, it shows them, and does not step."""

    def __init__(self, params, optimizer_cls, **kwargs):
        self.given = list(params)
        super().__init__(self.given, optimizer_cls, **kwargs)

    def step(self, closure=None):
        self.norms = [parameter.grad.norm() for parameter in self.given if parameter.grad is not None]
        return super().step(closure)


class BucketedDDP(torch.nn.Module):
    """All-reduces buckets while backward goes on."""

    def __init__(self, module, bucket_size_mb=25):
        super().__init__()
        self.module, self.synchronises = module, True
        self.buckets, self.handles = [[]], []
        size = 0
        for parameter in module.parameters():
            size += parameter.numel() * parameter.element_size()
            if size > bucket_size_mb * 2**20 and self.buckets[-1]:
                self.buckets.append([])
                size = parameter.numel() * parameter.element_size()
            self.buckets[-1].append(parameter)
            parameter.register_post_accumulate_grad_hook(self.ready)
        self.waits_for = {}

    def forward(self, *inputs):
        self.waits_for = {b: set(bucket) for b, bucket in enumerate(self.buckets)}
        return self.module(*inputs)

    def ready(self, parameter):
        if not self.synchronises:
            return
        for b, bucket in enumerate(self.buckets):
            if parameter in self.waits_for[b]:
                self.waits_for[b].remove(parameter)
                if not self.waits_for[b]:
                    flat = torch.cat([p.grad.reshape(-1) for p in bucket]) / dist.get_world_size()
                    self.handles.append((dist.all_reduce(flat, async_op=True), flat, bucket))

    def finish_gradient_synchronization(self):
        for handle, flat, bucket in self.handles:
            handle.wait()
            for parameter, mean in zip(bucket, flat.split([p.numel() for p in bucket])):
                parameter.grad.copy_(mean.view_as(parameter))
        self.handles.clear()

    @contextlib.contextmanager
    def no_sync(self):
        self.synchronises = False
        yield
        self.synchronises = True
