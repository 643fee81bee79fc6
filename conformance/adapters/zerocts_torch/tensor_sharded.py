"""ZeRO-1 as torch and fairscale have it: every rank holds all parameters, and an optimizer over optimizers gives whole
tensors to ranks.
"""

import contextlib
import pathlib

import torch
from torch.nn.parallel import DistributedDataParallel

from zerocts_rank import Bytes

from . import optimizers, roles
from .capabilities import PROBED
from .models import model_of
from .probe import Probe
from .storage import state_tensors, storage_bytes
from .subject import TorchSubject, as_array


class TensorSharded(TorchSubject):
    names_all_memory = True
    capabilities = {
        **PROBED,
        "optimizers": [*PROBED["optimizers"], *optimizers.OF_MATRICES],
        "formulas": {**PROBED["formulas"], **optimizers.OF_MATRICES},
        "stages": [1],
        "param_dtypes": ["fp32"],
        "world_sizes": [1, 1024],
        "ranks_as_threads": True,
        "bucket_cap_bytes": True,
        "inexact_mean": True,  # DistributedDataParallel multiplies by 1 / W before it adds
        "clip_norms": ["2", "1", "inf"],
        "clip_formulas": ["torch"],
        "granularity": "tensor",
        "optimizer_slack_bytes": 256,  # step counts
    }

    def make_optimizer(self, groups, optimizer_class, defaults):
        """Shards the optimizer; `optim` of the result is what this rank has of it."""
        raise NotImplementedError

    def model_options(self):
        """What DistributedDataParallel is told beside the case."""
        return {}

    def make_model(self, probe):
        """Reduces the gradients."""
        bucket = {"bucket_cap_mb": self.case.bucket_cap_bytes / 2**20} if self.case.bucket_cap_bytes else {}
        return DistributedDataParallel(
            probe, find_unused_parameters=self.case.misses_gradients, **bucket, **self.model_options()
        )

    def build(self, initial):
        case = self.case
        self.mean = []  # to be shown
        self.kept = list(range(len(case.groups)))  # the groups that the optimizer has, in its order
        self.tensors = roles.tensors_of(case, initial)
        self.optimizer = self.make_optimizer(
            optimizers.parameter_groups(case, self.tensors),
            optimizers.CLASSES[case.optimizer],
            optimizers.defaults(case),
        )
        self.module = (
            model_of(case, self.tensors)
            if case.trains_model
            else Probe(dict(enumerate(self.tensors)), case.curvature, roles.has_idle_parameters(case), self.device.name)
        )
        self.model = self.make_model(self.module)

    def forward_backward(self, micro_batch, *inputs):
        if micro_batch == 0:
            self.zero_grad()
        is_last = micro_batch == self.case.micro_batches - 1
        with contextlib.nullcontext() if is_last else self.without_sync():
            loss = self.model(*inputs)
            self.host.progress("backward")
            (loss / self.case.micro_batches).backward()
        return loss

    def zero_grad(self):
        self.model.zero_grad()

    def without_sync(self):
        return self.model.no_sync()

    def step(self, step):
        self.calls.step()
        self.note_mean()
        result = self.clip(roles.parameters_of(self.case, self.tensors))
        self.host.progress("optimizer.step")
        self.update()
        return result

    def update(self):
        self.optimizer.step()

    def note_mean(self):
        if self.case.observes("gradient"):
            self.mean = [
                as_array(torch.full_like(tensor, torch.nan) if tensor.grad is None else tensor.grad)
                for tensor in self.tensors
            ]

    def set_group(self, group, values):
        if group in self.kept:
            self.set_options(self.optimizer.param_groups[self.kept.index(group)], values)

    def set_frozen(self, p, frozen):
        """DistributedDataParallel knows the parameters that it is made with, so it is made anew."""
        self.tensors[p].requires_grad_(not frozen)
        self.model = self.make_model(self.module)

    def save(self, folder):
        state = self.gathered_state()
        if self.host.rank == 0:
            torch.save(
                {
                    "model": self.module.state_dict(),
                    "optimizer": state,
                    "frozen": roles.frozen_of(self.case, self.tensors),
                },
                self._file(folder),
            )

    def gathered_state(self):
        """On the first rank, which writes it."""
        self.optimizer.consolidate_state_dict(0)
        return self.optimizer.state_dict() if self.host.rank == 0 else None

    def own_state(self, gathered):
        """What load_state_dict takes."""
        return gathered

    def load(self, folder):
        saved = torch.load(self._file(folder))
        self.module.load_state_dict(saved["model"])
        self.optimizer.load_state_dict(self.own_state(saved["optimizer"]))
        for p in saved["frozen"]:
            self.set_frozen(p, True)

    @staticmethod
    def _file(folder):
        return pathlib.Path(folder) / "checkpoint.pt"

    def parameter(self, p):
        return as_array(self.tensors[p])

    def owned(self, p):
        mine = self.case.has_state(p) and any(self.tensors[p] is tensor for tensor in self.held())
        return [(0, self.tensors[p].numel())] if mine and self.tensors[p].numel() else []

    def held(self):
        """The parameters that this rank updates."""
        return [tensor for group in self.optimizer.optim.param_groups for tensor in group["params"]]

    def state_of(self, tensor):
        return self.optimizer.optim.state.get(tensor, {})

    def state(self, name, p, begin, end):
        if name == "gradient":
            return self.mean[p][begin:end]
        tensor = self.tensors[p]
        held = tensor if name == "master" else optimizers.state_of(self.state_of(tensor), name, tensor)
        return as_array(held)[begin:end]

    def memory(self):
        gradient = storage_bytes(tensor.grad for tensor in self.tensors)
        buckets = gradient  # of DistributedDataParallel, which copies
        shown = sum(mean.nbytes for mean in self.mean)
        return Bytes(
            parameter=storage_bytes(roles.parameters_of(self.case, self.tensors)),
            buffer=storage_bytes(roles.buffers_of(self.case, self.tensors)) + buckets + shown,
            gradient=gradient,
            optimizer=storage_bytes(state_tensors(self.optimizer.optim)),
        )

    def close(self):
        super().close()
        self.model = self.module = self.optimizer = self.tensors = None
