"""ZeRO-1 in numpy: every rank holds all parameters, and the momentum of one contiguous piece of them.

zerocts check --subject exec:"python3 home_made_zero1.py" --ranks 1,2,3
"""

import numpy as np

from zerocts_rank import Bytes, Calls, Subject, refuse_undeclared, run


class HomeMadeZero1(Subject):
    name, version = "home-made-zero1", "1.0"
    capabilities = {
        "stages": [1],
        "param_dtypes": ["fp32"],
        "optimizers": ["sgd"],
        "world_sizes": [1, 64],
        "reduction_orders": ["rank"],
        "accumulation": True,
        "states": ["master", "momentum"],
        "formulas": {"sgd": {"products": "rounded"}},
    }  # numpy has no fma

    def open(self, case, initial, host):
        refuse_undeclared(case, self.capabilities, host.options)
        self.calls = Calls(case)  # refuses wrong ones
        self.case, self.host, self.group = case, host, case.groups[0]
        self.offsets = np.cumsum([0] + [parameter.numel for parameter in case.parameters])
        self.flat = np.concatenate(initial)  # all parameters, end to end
        self.bounds = [len(self.flat) * rank // host.world_size for rank in range(host.world_size + 1)]
        self.begin, self.end = self.bounds[host.rank : host.rank + 2]
        self.momentum = np.zeros(self.end - self.begin, np.float32)
        self.gradient = np.zeros_like(self.flat)

    def accumulate(self, step, micro_batch, gradients):
        self.calls.accumulate(step, micro_batch, gradients)
        flat = np.concatenate(gradients)
        self.gradient = flat if micro_batch == 0 else self.gradient + flat

    def step(self, step):
        self.calls.step()
        # Reduce-scatter, in rank order; the mean is divided once.
        everybody = self.host.all_gather(self.gradient, [len(self.flat)] * self.host.world_size)
        total = everybody[0][self.begin : self.end].copy()
        for other in everybody[1:]:
            total += other[self.begin : self.end]
        mean = total / np.float32(self.host.world_size * self.case.micro_batches)
        # Update of this rank's piece.
        master, g = self.flat[self.begin : self.end], self.group
        update = mean + g.weight_decay * master if g.weight_decay else mean
        if g.momentum:
            update = self.momentum = g.momentum * self.momentum + update if step > 0 else update
        # All-gather.
        self.flat = np.concatenate(self.host.all_gather(master - g.lr * update, np.diff(self.bounds)))

    def parameter(self, p):
        return self.flat[self.offsets[p] : self.offsets[p + 1]]

    def owned(self, p):
        begin, end = np.clip([self.begin, self.end], *self.offsets[p : p + 2]) - self.offsets[p]
        return [(begin, end)] if begin < end else []

    def state(self, name, p, begin, end):
        if name == "master":
            return self.parameter(p)[begin:end]
        first = self.offsets[p] - self.begin
        return self.momentum[first + begin : first + end]

    def memory(self):
        return Bytes(parameter=self.flat.nbytes, gradient=self.gradient.nbytes, optimizer=self.momentum.nbytes)


run(HomeMadeZero1())
