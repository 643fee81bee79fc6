"""One step of an optimizer on a few elements: what went in and came out, or whether the class itself repeats it."""

import collections
from typing import Any, NamedTuple

import torch

from zerocts_watch.sampling import flat, indices, local_of, picks_of_two_steps, take_all

SAMPLES = 16  # elements of a parameter that the judge steps by formula
WINDOW = 1024  # elements of a parameter on which a class is replayed: as many as its vectorised loops want
MOMENTS = {"sgd": ("momentum_buffer",), "adam": ("exp_avg", "exp_avg_sq"), "adamw": ("exp_avg", "exp_avg_sq")}
UNKNOWN = ("amsgrad", "maximize", "capturable", "differentiable", "fused")  # options without a formula of ours
WHOLE = ("Muon", "Adafactor", "LBFGS", "SparseAdam")  # what they do to an element depends on others


def formula_of(optimizer):
    """ "sgd", "adam", "adamw", or None."""
    kind, groups = type(optimizer), optimizer.param_groups
    if kind not in (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW) or any(
        g.get(o) for g in groups for o in UNKNOWN
    ):
        return None
    decoupled = [bool(g.get("decoupled_weight_decay", kind is torch.optim.AdamW)) for g in groups]
    if kind is torch.optim.SGD:
        return "sgd"
    return ("adamw" if decoupled[0] else "adam") if len(set(decoupled)) == 1 else None


def keeps_state(optimizer):
    return type(optimizer) is not torch.optim.SGD or any(group.get("momentum") for group in optimizer.param_groups)


def scalars_of(group, steps):
    """The numbers of a step as the formula of torch has them, in double: powers come from this Python."""
    keys = ("lr", "weight_decay", "momentum", "dampening", "eps")
    values = {key: float(group[key]) for key in keys if key in group}
    values["nesterov"] = bool(group.get("nesterov"))
    if "betas" in group:
        betas = [float(beta) for beta in group["betas"]]
        corrections = [1 - beta**steps for beta in betas]
        values.update(betas=betas, corrections=corrections, root=corrections[1] ** 0.5)
    return values


class Sampled(NamedTuple):
    """A parameter that is stepped by formula."""

    group: dict
    parameter: Any
    at: tuple
    index: torch.Tensor  # `at`, where the parameter is
    is_first: bool
    steps: int


class Update:
    """Taken before the step; `records()` after it."""

    def __init__(self, optimizer, turn, of_copies=False):
        self.optimizer, self.formula, self.parts, self.of_copies = optimizer, formula_of(optimizer), [], of_copies
        name = type(optimizer).__name__
        self.is_followed = type(optimizer).__module__.startswith("torch.optim.") and name not in WHOLE
        if not self.is_followed:
            return
        held = [(g, p) for g in optimizer.param_groups for p in g["params"]]
        live = [(g, p) for g, p in held if p.grad is not None and not p.grad.is_sparse and local_of(p).numel()]
        if self.formula and any(p.dtype != torch.float32 or p.grad.dtype != torch.float32 for _, p in live):
            self.formula = None
        if not self.formula:
            self.twin = self.copied(live)
            return
        tensors = []
        for group, parameter in live:
            local, moments = local_of(parameter), self.moments_of(parameter)
            nothing = torch.zeros((), device=local.device).expand(local.shape)
            tensors += [local, local_of(parameter.grad), *(nothing if m is None else m for m in moments)]
            self.parts.append(self.sampled(group, parameter, turn, self.formula == "sgd" and moments[0] is None))
        each = 2 + len(MOMENTS[self.formula])
        self.before = take_all(tensors, [part.index for part in self.parts for _ in range(each)], torch.float32)

    def moments_of(self, parameter):
        state = self.optimizer.state.get(parameter, {})
        moments = [state.get(name) for name in MOMENTS[self.formula]]
        return [None if moment is None else local_of(moment) for moment in moments]

    def sampled(self, group, parameter, turn, is_first):
        local, steps = local_of(parameter), int(self.optimizer.state.get(parameter, {}).get("step", 0))
        at = picks_of_two_steps(steps or turn, local.numel(), SAMPLES)  # a resumed optimizer goes on counting
        return Sampled(group, parameter, at, indices(at, local.device), is_first, steps)

    def copied(self, live):
        """An optimizer like this one that holds copies of windows."""
        twin = object.__new__(type(self.optimizer))
        twin.__dict__.update(self.optimizer.__dict__)
        twin.param_groups, twin.state = [], collections.defaultdict(dict)
        for group in self.optimizer.param_groups:
            copies = []
            for parameter in (p for g, p in live if g is group):
                numel = local_of(parameter).numel()
                copy = torch.nn.Parameter(flat(local_of(parameter))[:WINDOW].clone())
                copy.grad = flat(local_of(parameter.grad))[:WINDOW].clone()
                for key, value in self.optimizer.state.get(parameter, {}).items():
                    if torch.is_tensor(value):
                        value = (
                            flat(local_of(value))[:WINDOW].clone()
                            if key != "step" and local_of(value).numel() == numel
                            else value.clone()
                        )
                    twin.state[copy][key] = value
                copies.append(copy)
                self.parts.append((group, parameter, copy))
            twin.param_groups.append({**group, "params": copies})
        return twin

    def replay(self):
        type(self.twin).step.__wrapped__(
            self.twin
        )  # the instance's step may be a scheduler's, around the user's optimizer

    def records(self, name_of):
        """(kind, head, tensors) of what was followed."""
        if self.formula:
            head, tensors = self.sampled_records(name_of)
            return "update", {**head, "copies": self.of_copies}, tensors
        parts, tensors = [], []
        for _, parameter, copy in self.parts:
            got, expected = flat(local_of(parameter))[:WINDOW], flat(copy)
            wrong = (got.view(torch.uint8) != expected.view(torch.uint8)).nonzero()
            first = int(wrong[0]) // got.element_size() if len(wrong) else 0
            parts.append(
                {"name": name_of(parameter), "compared": got.numel(), "differs": bool(len(wrong)), "element": first}
            )
            tensors += [expected[first : first + 1].double(), got[first : first + 1].double()]
        return "replay", {"class": type(self.optimizer).__name__, "parts": parts}, tensors

    def sampled_records(self, name_of):
        groups, scalars, heads, tensors, places = [], {}, [], [], []
        for part in self.parts:
            after = [local_of(part.parameter), *(m for m in self.moments_of(part.parameter) if m is not None)]
            key = (id(part.group), part.steps)
            if key not in scalars:
                scalars[key] = len(groups)
                groups.append(scalars_of(part.group, part.steps + 1))
            head = {"name": name_of(part.parameter), "at": part.at, "group": scalars[key], "first": part.is_first}
            heads.append({**head, "steps": part.steps, "after": len(after)})
            tensors += after
            places += [part.index] * len(after)
        after = take_all(tensors, places, torch.float32)
        return {"formula": self.formula, "groups": groups, "parts": heads}, [self.before, after]
