"""Faults as people make them in engines of their own: variants of a base file beside this one, or in own_optimizers.

Written, each with its right diagnosis, before the diagnosis was improved. The half aside was run after it.
"""

import random
from pathlib import Path

HERE = Path(__file__).resolve().parent
TRAINER = HERE / "trainer.py"
BUCKETS = HERE.parent / "own_optimizers" / "right.py"
INSIDE = HERE.parent / "own_optimizers" / "averages_inside.py"
SEED_OF_HALVES = 52

# The right diagnosis: words that name it, and clauses that are about it.
CAUSES = {
    "another group's hyper-parameters, or the defaults": ("of group 0|default", ["C-ZERO-053"]),
    "a rank's own gradient, unreduced": (
        "its own gradient|never reduced|rank [0-9]+ alone|only the gradients of rank",
        ["C-ZERO-011"],
    ),
    "the last micro-batch alone": (
        "only micro-batch|only the last of its micro|micro-batch [0-9]+ of each rank alone|only one of them counted",
        ["C-ZERO-020"],
    ),
    "sum over ranks for a mean": ("sum over ranks|W: not divided by the number of ranks", ["C-ZERO-010"]),
    "divided twice by ranks": ("1 / W: divided by the number of ranks twice", ["C-ZERO-010"]),
    "not published: stale": ("stale|not published|before the step", ["C-ZERO-060", "C-ZERO-061"]),
    "step count of the bias correction": ("bias correction", ["C-ZERO-051"]),
    "eps inside the square root": ("epsilon was added inside", []),
    "decay after the update": ("decayed after", []),
    "hyper-parameters of the step before": ("one step late", ["C-ZERO-052"]),
    "norm of one rank's shard": ("own shard|its own norm", ["C-ZERO-030"]),
    "clipped twice": ("clipped twice", ["C-ZERO-032"]),
    "norm leaves out a tensor": ("norm left out", ["C-ZERO-030", "C-ZERO-031"]),
    "state of another parameter": ("of another (tensor|parameter)", []),
    "state lost in the checkpoint": ("state of the checkpoint|dropped on load|not loaded", ["C-ZERO-080"]),
    "parameters not restored": ("parameters of the checkpoint|stale after|not loaded", ["C-ZERO-080", "C-ZERO-087"]),
    "gradient of the step before": ("of the step before", ["C-ZERO-014"]),
    "norm counts an element twice": ("padding", ["C-ZERO-030", "C-ZERO-031"]),
    "pieces at other ranks' places": ("shifted|other places", []),
    "frozen parameter updated": ("frozen parameter was updated", ["C-ZERO-054"]),
    "rounded to bf16": ("bf16", []),
    "a rank that did not come to the collective": ("rank 2", []),
}

# name: (base file, the right diagnosis, [(text, what stands there instead)])
FAULTS = {
    "groups lose decay and momentum": (
        BUCKETS,
        "another group's hyper-parameters, or the defaults",
        [
            ('own = {**group, "params": [', 'own = {"params": ['),
            ('{key: value for key, value in theirs.items() if key != "params"}', '{"lr": theirs["lr"]}'),
        ],
    ),
    "last bucket never reduced": (
        BUCKETS,
        "a rank's own gradient, unreduced",
        [("if not self.waits_for[b]:", "if not self.waits_for[b] and b < len(self.buckets) - 1:")],
    ),
    "last micro-batch alone": (
        TRAINER,
        "the last micro-batch alone",
        [("flat if micro_batch == 0 else self.gradient + flat", "flat")],
    ),
    "sum over ranks": (
        TRAINER,
        "sum over ranks for a mean",
        [("self.host.world_size * self.case.micro_batches", "self.case.micro_batches")],
    ),
    "divided twice by ranks": (
        TRAINER,
        "divided twice by ranks",
        [
            (
                "ranks = self.host.all_gather(gradient,",
                "ranks = self.host.all_gather(gradient / np.float32(self.host.world_size),",
            )
        ],
    ),
    "broadcast from the wrong owner": (
        BUCKETS,
        "not published: stale",
        [
            (
                "for parameter, owner in self.owner.items():",
                (
                    "for owner, parameter in ((i % self.world_size, p) for g in self.param_groups for i, p in "
                    "enumerate(g['params'])):"
                ),
            )
        ],
    ),
    "stale on the last rank": (
        TRAINER,
        "not published: stale",
        [
            (
                "        self.flat = np.concatenate(self.host.all_gather(piece, np.diff(self.bounds)))\n",
                (
                    "        old = self.flat.copy()\n"
                    "        self.flat = np.concatenate(self.host.all_gather(piece, np.diff(self.bounds)))\n"
                    "        if self.host.rank == self.host.world_size - 1:\n"
                    "            old[self.begin : self.end] = piece\n"
                    "            self.flat = old\n"
                ),
            )
        ],
    ),
    "bias correction one step ahead": (
        INSIDE,
        "step count of the bias correction",
        [("state.update(step=0", "state.update(step=1")],
    ),
    "eps inside the root": (
        INSIDE,
        "eps inside the square root",
        [
            (
                'torch.sqrt(state["exp_avg_sq"]) / (1 - beta2 ** state["step"]) ** 0.5',
                'torch.sqrt(state["exp_avg_sq"] / (1 - beta2 ** state["step"]) + group["eps"])',
            ),
            ('corrected.add_(group["eps"])', "corrected"),
        ],
    ),
    "decay after the update": (
        INSIDE,
        "decay after the update",
        [
            ('        p.mul_(1 - group["lr"] * group["weight_decay"])\n', ""),
            (
                'value=-group["lr"] / (1 - beta1 ** state["step"]))',
                (
                    'value=-group["lr"] / (1 - beta1 ** state["step"]))\n'
                    '        p.mul_(1 - group["lr"] * group["weight_decay"])'
                ),
            ),
        ],
    ),
    "learning rate one step late": (
        TRAINER,
        "hyper-parameters of the step before",
        [
            ("self.groups[group] = values", "self.late = {**getattr(self, 'late', {}), group: values}"),
            (
                "        self.publish(step, master[self.begin : self.end])\n",
                (
                    "        self.publish(step, master[self.begin : self.end])\n"
                    "        for group, values in self.__dict__.pop('late', {}).items():\n"
                    "            self.groups[group] = values\n"
                ),
            ),
        ],
    ),
    "norm of one's own shard": (
        TRAINER,
        "norm of one rank's shard",
        [
            (
                "np.concatenate(self.host.all_gather(mean[self.begin : self.end], np.diff(self.bounds)))",
                "mean[self.begin : self.end]",
            )
        ],
    ),
    "clipped twice": (
        TRAINER,
        "clipped twice",
        [("        mean *= coefficient\n", "        mean *= coefficient * coefficient\n")],
    ),
    "norm without the last tensor": (
        TRAINER,
        "norm leaves out a tensor",
        [
            (
                "        return np.float32(math.sqrt(",
                ("        squares = squares[: self.offsets[-2]]\n        return np.float32(math.sqrt("),
            )
        ],
    ),
    "momentum of another tensor": (
        TRAINER,
        "state of another parameter",
        [("own = slice(begin - self.begin, end - self.begin)", "own = slice(0, end - begin)")],
    ),
    "momentum not restored": (
        TRAINER,
        "state lost in the checkpoint",
        [('        self.momentum = saved["momentum"]\n', "")],
    ),
    "parameters not restored": (TRAINER, "parameters not restored", [('        self.flat = saved["flat"]\n', "")]),
    "rank 0 keeps its own gradient": (
        BUCKETS,
        "a rank's own gradient, unreduced",
        [
            (
                "                parameter.grad.copy_(mean.view_as(parameter))",
                (
                    "                if dist.get_rank():\n"
                    "                    parameter.grad.copy_(mean.view_as(parameter))"
                ),
            )
        ],
    ),
    "gradient of others' shards not zeroed": (
        TRAINER,
        "gradient of the step before",
        [
            (
                "        self.gradient = flat if micro_batch == 0 else self.gradient + flat\n",
                (
                    "        if micro_batch == 0:\n"
                    "            self.gradient[self.begin : self.end] = 0\n"
                    "        self.gradient = self.gradient + flat\n"
                ),
            )
        ],
    ),
    "padding in the norm": (
        TRAINER,
        "norm counts an element twice",
        [
            (
                "        return np.float32(math.sqrt(",
                (
                    "        squares = np.append(squares, np.repeat(squares[-1:], -len(squares) % "
                    "self.host.world_size))\n"
                    "        return np.float32(math.sqrt("
                ),
            )
        ],
    ),
    "pieces gathered in another order": (
        TRAINER,
        "pieces at other ranks' places",
        [
            (
                "self.flat = np.concatenate(self.host.all_gather(piece, np.diff(self.bounds)))",
                "self.flat = np.concatenate(self.host.all_gather(piece, np.diff(self.bounds))[::-1])",
            )
        ],
    ),
    "frozen parameters decay": (
        TRAINER,
        "frozen parameter updated",
        [
            (
                "            if not frozen:\n",
                (
                    "            if frozen:\n"
                    "                g = self.groups[self.case.parameters[p].group]\n"
                    "                master[piece] -= np.float32(g.lr * g.weight_decay) * master[piece]\n"
                    "            else:\n"
                ),
            )
        ],
    ),
    "gradients rounded to bf16 for the wire": (
        TRAINER,
        "rounded to bf16",
        [
            (
                "        ranks = self.host.all_gather(gradient,",
                (
                    "        bits = gradient.view(np.uint32)\n"
                    "        gradient = ((bits + 0x7FFF + (bits >> 16 & 1)) & np.uint32(0xFFFF0000)).view(np.float32)\n"
                    "        ranks = self.host.all_gather(gradient,"
                ),
            )
        ],
    ),
    "last rank leaves early": (
        TRAINER,
        "a rank that did not come to the collective",
        [
            (
                "        mean = self.reduce(self.gradient)\n",
                (
                    "        if step and self.host.rank == self.host.world_size - 1:\n"
                    "            return None\n"
                    "        mean = self.reduce(self.gradient)\n"
                ),
            )
        ],
    ),
}


def halves():
    """{"tune": names, "aside": names}, at random."""
    names = sorted(FAULTS)
    random.Random(SEED_OF_HALVES).shuffle(names)
    return {"tune": sorted(names[:12]), "aside": sorted(names[12:])}


def subject_of(name, folder):
    """Writes the faulty file; the words of `zerocts check` that name it as a subject."""
    base, _, replacements = FAULTS[name]
    text = base.read_text()
    for old, new in replacements:
        if text.count(old) != 1:
            raise ValueError(f"{name}: expected once in {base.name}, got {text.count(old)} times: {old}")
        text = text.replace(old, new)
    file = Path(folder) / base.name
    file.write_text(text)
    if base == TRAINER:
        return ["--subject", f"exec:/usr/bin/python3 {file}"]
    if base == BUCKETS:
        return ["--subject", f"torch:{file}:ShardedOptimizer", "--option", f"ddp={file}:BucketedDDP"]
    return ["--subject", f"torch:{file}:ShardedAdamW", "--option", "ddp=none"]
