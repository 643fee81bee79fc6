"""A right ZeRO-1 trainer in numpy: SGD and AdamW, groups, frozen parameters, clipping, checkpoints; for faults.py."""

import dataclasses
import math
from pathlib import Path

import numpy as np

from zerocts_rank import INTERNAL, Bytes, Calls, Refused, StepResult, Subject, refuse_undeclared, run


class Trainer(Subject):
    name, version = "trainer", "1.0"
    capabilities = {
        "stages": [1],
        "param_dtypes": ["fp32"],
        "optimizers": ["sgd", "adamw"],
        "world_sizes": [1, 64],
        "reduction_orders": ["rank"],
        "accumulation": True,
        "groups": True,
        "set_group": True,
        "frozen": True,
        "clip": True,
        "checkpoint": True,
        "states": ["master", "momentum", "exp_avg", "exp_avg_sq"],
        "formulas": {"sgd": {"products": "rounded"}, "adamw": {"products": "rounded"}},
    }

    def open(self, case, initial, host):
        refuse_undeclared(case, self.capabilities, host.options)
        self.calls, self.case, self.host = Calls(case), case, host
        self.groups = list(case.groups)
        self.numels = [parameter.numel for parameter in case.parameters]
        self.offsets = np.cumsum([0, *self.numels])
        self.flat = np.concatenate(initial)
        self.bounds = [len(self.flat) * rank // host.world_size for rank in range(host.world_size + 1)]
        self.begin, self.end = self.bounds[host.rank : host.rank + 2]
        self.gradient = np.zeros_like(self.flat)
        self.momentum, self.square = np.zeros((2, self.end - self.begin), np.float32)
        self.powers = np.ones((len(self.numels), 2))  # products of the betas of all steps
        self.updates = np.zeros(len(self.numels))
        self.frozen = [False] * len(self.numels)

    def set_group(self, group, values):
        self.groups[group] = values

    def set_frozen(self, p, frozen):
        self.frozen[p] = frozen

    def accumulate(self, step, micro_batch, gradients):
        self.calls.accumulate(step, micro_batch, gradients)
        flat = np.concatenate([np.zeros(n, np.float32) if g is None else g for g, n in zip(gradients, self.numels)])
        self.gradient = flat if micro_batch == 0 else self.gradient + flat

    def step(self, step):
        self.calls.step()
        mean = self.reduce(self.gradient)
        result = self.clip(mean)
        master = self.flat.copy()
        for p, frozen in enumerate(self.frozen):
            begin, end = np.clip([self.begin, self.end], *self.offsets[p : p + 2])
            piece = slice(begin, end)
            if not frozen:
                own = slice(begin - self.begin, end - self.begin)
                self.update(p, master[piece], mean[piece], self.momentum[own], self.square[own])
        self.publish(step, master[self.begin : self.end])
        return result

    def reduce(self, gradient):
        """The mean; used by each rank for its piece."""
        ranks = self.host.all_gather(gradient, [len(self.flat)] * self.host.world_size)
        total = ranks[0].copy()
        for other in ranks[1:]:
            total += other
        return total / np.float32(self.host.world_size * self.case.micro_batches)

    def norm(self, mean):
        squares = np.concatenate(self.host.all_gather(mean[self.begin : self.end], np.diff(self.bounds)))
        return np.float32(math.sqrt(np.sum(squares.astype(np.float64) ** 2)))

    def clip(self, mean):
        if not self.case.max_norm:
            return StepResult()
        norm = self.norm(mean)
        coefficient = min(np.float32(1), np.float32(self.case.max_norm) / (norm + np.float32(self.case.clip_epsilon)))
        mean *= coefficient
        return StepResult(float(norm), float(coefficient))

    def update(self, p, master, gradient, momentum, square):
        g = self.groups[self.case.parameters[p].group]
        lr, decay, eps = np.float32(g.lr), np.float32(g.weight_decay), np.float32(g.eps)
        if self.case.optimizer == "sgd":
            d = decay * master + gradient if decay else gradient
            if g.momentum:
                d = momentum[:] = np.float32(g.momentum) * momentum + d if self.updates[p] else d
            master[:] = master - lr * d
        else:
            momentum[:] = np.float32(g.beta1) * momentum + np.float32(1 - g.beta1) * gradient
            square[:] = np.float32(g.beta2) * square + (np.float32(1 - g.beta2) * gradient) * gradient
            self.powers[p] *= g.beta1, g.beta2
            c1, c2 = (1 - self.powers[p]).astype(np.float32)
            update = (momentum / c1) / (np.sqrt(square / c2) + eps)
            master[:] = -lr * (decay * master + update) + master
        self.updates[p] += 1

    def publish(self, step, piece):
        self.flat = np.concatenate(self.host.all_gather(piece, np.diff(self.bounds)))

    def parameter(self, p):
        return self.flat[self.offsets[p] : self.offsets[p + 1]]

    def owned(self, p):
        begin, end = np.clip([self.begin, self.end], *self.offsets[p : p + 2]) - self.offsets[p]
        return [(begin, end)] if begin < end else []

    def state(self, name, p, begin, end):
        if name == "master":
            return self.parameter(p)[begin:end]
        first = self.offsets[p] - self.begin
        return (self.square if name == "exp_avg_sq" else self.momentum)[first + begin : first + end]

    def save(self, folder):
        np.savez(
            Path(folder) / f"{self.host.rank}.npz",
            flat=self.flat,
            momentum=self.momentum,
            square=self.square,
            powers=self.powers,
            updates=self.updates,
            frozen=self.frozen,
            groups=[dataclasses.astuple(group) for group in self.groups],
        )

    def load(self, folder):
        """Refused by all ranks if one cannot read its file."""
        try:
            with np.load(Path(folder) / f"{self.host.rank}.npz") as opened:
                saved = dict(opened)
        except Exception:
            saved = {}
        ranks = self.host.all_gather(np.float32([bool(saved)]), [1] * self.host.world_size)
        if not all(map(np.all, ranks)):
            raise Refused(INTERNAL, "a shard of the checkpoint cannot be read")
        self.flat = saved["flat"]
        self.momentum = saved["momentum"]
        self.square = saved["square"]
        self.powers = saved["powers"]
        self.updates = saved["updates"]
        self.frozen = list(saved["frozen"])
        self.groups = [type(self.groups[0])(*values) for values in saved["groups"]]

    def memory(self):
        return Bytes(parameter=self.flat.nbytes, gradient=self.gradient.nbytes, optimizer=2 * self.momentum.nbytes)


run(Trainer())
