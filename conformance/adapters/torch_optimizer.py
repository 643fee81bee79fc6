"""A rank of a user's own sharded optimizer, zerocts check --subject torch:my_file.py:ShardedOptimizer. Its argument is
what torch_optimizer_probe.py found.
"""

import contextlib
import inspect
import json
import sys

import zerocts_torch  # noqa: F401  before torch
import torch

from zerocts_rank import INTERNAL, Bytes, Refused, run
from zerocts_torch import device, optimizers, roles, user_parts
from zerocts_torch.storage import state_tensors, storage_bytes
from zerocts_torch.tensor_sharded import TensorSharded
from zerocts_torch.user_optimizer import DDP, UserOptimizer

FINISH = "finish_gradient_synchronization"  # of a DDP that wants to be told when backward is over


class TorchOptimizer(TensorSharded):
    def __init__(self, found):
        super().__init__()
        self.user = UserOptimizer(found["target"], found["options"])
        self.place, self.typed = found["place"], found["typed"]
        self.name = f"torch:{self.user.name}"
        by = [DDP if self.user.ddp == DDP else self.typed["ddp"], device.BACKEND]
        self.description = f"{found['target'].rpartition('/')[2]}, gradients averaged by ddp={', '.join(by)}"
        # torch's own clip_grad_norm_ has no inf norm of a tensor without elements
        self.capabilities = {**TensorSharded.capabilities, "clip_norms": ["2", "1"], **found["capabilities"]}

    def _fault(self, options):
        return super()._fault({key: value for key, value in options.items() if self.typed.get(key) != value})

    def make_optimizer(self, groups, optimizer_class, defaults):
        """In every other case groups after the first come by add_param_group."""
        self.kept = [g for g, group in enumerate(groups) if group["params"]] or [0]
        given = [self.user.taken(groups[g]) for g in self.kept]
        values = optimizers.options(self.case.optimizer, self.case.groups[0])
        if not self.capabilities["groups"]:
            return self.user.make(self.case.optimizer, given[0]["params"], values)
        late = given[1:] if self.case.seed % 2 and self._may_begin_with(given[0]) else []
        optimizer = self.user.make(self.case.optimizer, given[: len(given) - len(late)], values)
        for group in late:
            optimizer.add_param_group(group)
            self._require_owners(optimizer, group["params"])
        return optimizer

    def _may_begin_with(self, group):
        """Whether others come by add_param_group."""
        enough = sum(tensor.numel() > 0 for tensor in group["params"]) >= self.host.world_size
        has_to_own = self.capabilities.get("no_empty_ranks", False)
        return hasattr(self.user.make_it, "add_param_group") and (enough or not has_to_own)

    def _require_owners(self, optimizer, tensors):
        mine = {id(tensor) for tensor in self._held(optimizer)}
        owned = torch.tensor([id(tensor) in mine for tensor in tensors], dtype=torch.int32, device=self.device.name)
        torch.distributed.all_reduce(owned)
        if not owned.all():
            raise Refused(INTERNAL, "add_param_group: no rank updates the parameters of the group that it was given")

    def make_model(self, probe):
        if self.user.ddp == DDP:
            return super().make_model(probe)
        return probe if self.user.averages_inside else self.user.wrap(probe, self.case.bucket_cap_bytes)

    def zero_grad(self):
        """Refuses what leaves a gradient where torch's optimizers leave None."""
        if not hasattr(self.optimizer, "zero_grad"):
            super().zero_grad()
            return
        takes = "set_to_none" in inspect.signature(self.optimizer.zero_grad).parameters
        self.optimizer.zero_grad(**({"set_to_none": True} if takes else {}))
        for p, tensor in enumerate(self.tensors):
            if tensor.grad is not None and self.case.has_state(p) and (takes or tensor.grad.any()):
                kept = "its gradient" if tensor.grad.any() else "zeros"
                call = f"zero_grad({'set_to_none=True' if takes else ''})"
                raise Refused(INTERNAL, f"{call}: expected p.grad to become None, parameter {p} keeps {kept}")

    def without_sync(self):
        return contextlib.nullcontext() if self.user.averages_inside else super().without_sync()

    def forward_backward(self, micro_batch, *inputs):
        self.loss = super().forward_backward(micro_batch, *inputs)
        if micro_batch == self.case.micro_batches - 1 and hasattr(self.model, FINISH):
            getattr(self.model, FINISH)()
        return self.loss

    def update(self):
        """A model's training gives step a closure, as torch's optimizers take it."""
        if self.case.trains_model and "closure" in inspect.signature(self.optimizer.step).parameters:
            self._update_by_closure()
        else:
            self.optimizer.step()
        if self.user.averages_inside:
            self.note_mean()

    def _update_by_closure(self):
        calls = []

        def closure():
            calls.append(None)
            return self.loss

        result = self.optimizer.step(closure)
        if not calls:
            raise Refused(INTERNAL, "step(closure) did not call the closure")
        if result is None or float(result) != float(self.loss):
            raise Refused(INTERNAL, f"step(closure): expected the closure's loss, got {result}")

    def set_options(self, param_group, values):
        param_group.update(self.user.taken(optimizers.options(self.case.optimizer, values)))

    def gathered_state(self):
        """Each rank's own, where the optimizer does not gather it."""
        if self._gathers():
            return super().gathered_state()
        states = [None] * self.host.world_size
        torch.distributed.all_gather_object(states, self.optimizer.state_dict())
        return states

    def own_state(self, gathered):
        return gathered if self._gathers() else gathered[self.host.rank]

    def _gathers(self):
        return hasattr(self.optimizer, "consolidate_state_dict")

    def held(self):
        return self._held(self.optimizer)

    def _held(self, optimizer):
        return user_parts.held(optimizer, self.place, self.host.rank, self.host.world_size)

    def state_of(self, tensor):
        return user_parts.state_of(self.optimizer, tensor)

    def memory(self):
        """What else hangs on the optimizer and on a DDP counts as buffers."""
        gradients = storage_bytes(tensor.grad for tensor in self.tensors)
        parameters = roles.parameters_of(self.case, self.tensors)
        states = [
            tensor
            for holder in (self.optimizer, *user_parts.inner_optimizers(self.optimizer))
            for tensor in state_tensors(holder)
        ]
        named = [*parameters, *states, *(tensor.grad for tensor in self.tensors)]
        others = storage_bytes([*named, *user_parts.tensors_below(self.optimizer, self.model)]) - storage_bytes(named)
        of_ddp = gradients if self.user.ddp == DDP else 0
        return Bytes(
            parameter=storage_bytes(parameters),
            gradient=gradients,
            optimizer=storage_bytes(states),
            buffer=others + of_ddp + sum(mean.nbytes for mean in self.mean),
        )


run(TorchOptimizer(json.loads(sys.argv[1])))
