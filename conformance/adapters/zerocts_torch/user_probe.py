"""What a user's optimizer can do, tried on one rank before any rank of the run starts."""

import contextlib

import torch
import torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore

from zerocts_rank import Groups
from zerocts_rank.case import moments_of

from . import optimizers, user_parts
from .capabilities import CHECKPOINTS
from .hyper_parameters import CLASS_NAMES, OWN, STATE_KEYS
from .probe import Probe
from .traffic import TrafficCounter
from .user_file import Problem, told
from .user_optimizer import DDP, SGD_VARIANTS

SHAPES = [(3, 5), (7,), (33,), (2, 2), (5,), (4,)]
SHAPES_OF_BITS = [(7,)] * 300 + [(2, 1003)]  # kernels differ in what is left beside their vectors
SHAPES_OF_MUON = [(3, 5), (24, 16), (16, 40), (1, 7)]
RANKS = 2
STEPS = 3
VALUES = Groups(lr=0.1, weight_decay=0.1, momentum=0.9, beta1=0.9, beta2=0.99, eps=1e-8, dampening=0.0, nesterov=False)


@contextlib.contextmanager
def rank_of(world_size, rank):
    """This process is in a group whose collectives do nothing."""
    dist.init_process_group("fake", store=FakeStore(), rank=rank, world_size=world_size)
    try:
        yield
    finally:
        dist.destroy_process_group()


def new_parameters(kind, shapes=SHAPES):
    """Matrices alone for who moves nothing else."""
    generator = torch.Generator().manual_seed(1)
    if kind in optimizers.OF_MATRICES:
        shapes = [shape if len(shape) == 2 else (1, *shape) for shape in shapes]
    return [torch.nn.Parameter(torch.randn(shape, generator=generator)) for shape in shapes]


def give_gradients(parameters, step):
    """Even integers, whose halves are exact."""
    generator = torch.Generator().manual_seed(2 + step)
    for tensor in parameters:
        tensor.grad = 2.0 * torch.randint(-9, 10, tensor.shape, generator=generator)


def updated(optimizer, parameters):
    """What some steps make of them."""
    for step in range(STEPS):
        give_gradients(parameters, step)
        optimizer.step()
    return parameters


def have_bits(ours, theirs):
    return all(map(torch.equal, ours, theirs))


def is_near(ours, theirs):
    return torch.allclose(ours, theirs, rtol=1e-4, atol=1e-6)


def are_near(kind, ours):
    """Is it what torch's makes of them? Products of matrices in bf16 leave a few percent of Muon's updates open, and
    not every class has a switch for Nesterov's momentum.
    """
    if kind not in optimizers.OF_MATRICES:
        return all(map(is_near, ours, loop_update(kind)))
    before = new_parameters(kind, SHAPES_OF_MUON)
    return any(
        all(
            (our - their).abs().max() <= 0.15 * (their - start).abs().max()
            for our, their, start in zip(ours, torchs_update(kind, nesterov=nesterov), before)
        )
        for nesterov in (False, True)
    )


def loop_update(kind):
    """By torch's loop over single tensors."""
    return torchs_update(kind, **({} if kind in optimizers.OF_MATRICES else {"foreach": False}))


def shapes_of_bits(kind):
    return SHAPES_OF_MUON if kind in optimizers.OF_MATRICES else SHAPES_OF_BITS


def torchs_update(kind, **arguments):
    """By a torch optimizer of this kind, alone."""
    parameters = new_parameters(kind, shapes_of_bits(kind))
    values = {**optimizers.options(kind, VALUES), **arguments}
    return updated(optimizers.CLASSES[kind](parameters, **values), parameters)


def overrides(optimizer, method):
    return getattr(type(optimizer), method, None) not in (None, getattr(torch.optim.Optimizer, method, None))


class UserProbe:
    def __init__(self, user):
        self.user, self.notes = user, []
        self.formulas = {**optimizers.formulas(), **optimizers.OF_MATRICES}

    def found(self):
        """For the ranks: capabilities, and what else they need to know."""
        with rank_of(1, 0):
            formulas = self._formulas()
        self.kind = next(iter(formulas))
        self._find_groups()
        self.place = self._place()
        empty_ranks = self._empty_ranks()
        with rank_of(RANKS, 0):
            self.parameters = new_parameters(self.kind)
            self.optimizer = self._make(self.kind, self.parameters)
            capabilities = {
                "optimizers": list(formulas),
                "formulas": formulas,
                "states": self._states(formulas),
                "groups": self.groups,
                "set_group": True,
                "sgd_variants": "sgd" in formulas and all(map(self.user.arguments.take, SGD_VARIANTS)),
                "granularity": "tensor",
                **empty_ranks,
                **self._checkpoint(),
                **self._synchronisation(),
                **self._of_a_step(),
            }
        return {**self.user.resolved(), "place": self.place, "capabilities": capabilities}

    def _make(self, kind, params):
        with told(self.user.name):
            optimizer = self.user.make(kind, params, optimizers.options(kind, VALUES))
        for attribute in ("step", "param_groups"):
            if not hasattr(optimizer, attribute):
                raise Problem(
                    f"{self.user.arguments.line}: expected an optimizer with {attribute}, got {self.user.name}"
                )
        return optimizer

    def _formulas(self):
        """{kind: formula}. The bits of an inner optimizer of torch are torch's; else they are compared."""
        if self.user.class_argument:
            return {kind: self._formula(kind, self.user.passed_on()) for kind in self.user.kinds}
        candidates = self._updates()
        for kind, (optimizer, parameters) in candidates.items():
            inner = user_parts.inner_optimizers(optimizer)
            if inner and type(inner[0]) is optimizers.CLASSES[kind]:
                flags = {name: inner[0].defaults[name] for name in ("foreach", "fused") if name in inner[0].defaults}
                return {kind: self._formula(kind, flags)}
            if have_bits(parameters, loop_update(kind)):
                return {kind: self._formula_of_torch(kind)}
        return self._formula_without_bits({kind: parameters for kind, (_, parameters) in candidates.items()})

    def _formula_without_bits(self, candidates):
        """What rounds otherwise may be right; what is far from torch's is judged by torch's."""
        for kind, parameters in candidates.items():
            if are_near(kind, parameters):
                self.notes.append(
                    f"one rank alone is near torch.optim.{CLASS_NAMES[kind]}, but has not its bits, so updates are "
                    "judged by self parity alone; for more, use torch's operations in torch's order"
                )
                return {kind: OWN}
        kind = next(iter(candidates))
        judged = "so self parity alone judges it" if self.formulas[kind] == OWN else "by which it is judged"
        self.notes.append(f"one rank alone does not update as torch.optim.{CLASS_NAMES[kind]}, {judged}")
        return {kind: self.formulas[kind]}

    def _updates(self):
        """{kind: (optimizer, parameters)} of each that it can be made as."""
        made, problems = {}, []
        for kind in self.user.kinds:
            parameters = new_parameters(kind, shapes_of_bits(kind))
            try:
                optimizer = self._make(kind, parameters)
                with told(f"step of {self.user.name}"):
                    made[kind] = optimizer, updated(optimizer, parameters)
            except Problem as problem:
                problems.append(problem)
        if not made:
            raise problems[0]
        return made

    def _formula(self, kind, arguments):
        """Has torch, so called, the bits of its loop over single tensors?"""
        with told(f"torch.optim.{CLASS_NAMES[kind]}"):
            update = torchs_update(kind, **arguments)
        if have_bits(update, loop_update(kind)):
            return self._formula_of_torch(kind)
        self.notes.append(
            f"torch.optim.{CLASS_NAMES[kind]} with {arguments} has no formula that the suite knows, so its updates are "
            "judged by self parity alone"
        )
        return OWN

    def _formula_of_torch(self, kind):
        if self.formulas[kind] == OWN:
            self.notes.append(f"updates of torch.optim.{CLASS_NAMES[kind]} are judged by self parity alone")
        return self.formulas[kind]

    def _find_groups(self):
        """Whether it takes parameters in groups, and shows them, as torch's optimizers do."""
        self.groups = True
        parameters = new_parameters(self.kind)
        groups = [{"params": parameters[:2], "lr": 0.02}, {"params": parameters[2:], "lr": 0.01}]
        with rank_of(RANKS, 0):
            try:
                optimizer = self._make(self.kind, groups)
                shown = len(optimizer.param_groups)
                if shown != len(groups):
                    raise Problem(f"of {len(groups)} groups its param_groups show {shown}")
                with told(f"step of {self.user.name}"):
                    updated(optimizer, parameters)
            except Problem as problem:
                self._make(self.kind, parameters)
                self.groups = False
                self.notes.append(f"it takes no list of groups, so none with values of its own is asked for: {problem}")

    def _place(self):
        """Where a rank's own parameters are seen: where two ranks hold parts that make up the whole."""
        parameters, optimizers_of = new_parameters(self.kind), []
        for rank in range(RANKS):
            with rank_of(RANKS, rank):
                optimizers_of.append(self._make(self.kind, parameters))
        everything = {id(tensor) for tensor in parameters}
        all_held = []
        for place in user_parts.places(optimizers_of[0]):
            parts = [
                [id(tensor) for tensor in user_parts.held(optimizer, place, rank, RANKS)]
                for rank, optimizer in enumerate(optimizers_of)
                if place in user_parts.places(optimizer)
            ]
            if len(parts) == RANKS and sorted(sum(parts, [])) == sorted(everything):
                return place
            if any(set(part) >= everything for part in parts):
                all_held.append(place)
        seen = f"; {' and '.join(all_held)} hold all of them on each rank" if all_held else ""
        raise Problem(
            f"{self.user.target}: expected to see which whole parameters a rank updates, got no attribute that says "
            f"so{seen}; keep them in the param_groups of an inner optimizer, or in an attribute such as self.owned"
        )

    def _empty_ranks(self):
        """Does it take fewer parameters than ranks?"""
        problem = self._problem_of(SHAPES[: RANKS - 1])
        if problem is None or self._problem_of(SHAPES) is not None:
            return {}
        self.notes.append(f"no case leaves a rank without a parameter: {problem}")
        return {"no_empty_ranks": True}

    def _problem_of(self, shapes):
        """What the first rank raises that does not get through a step."""
        for rank in range(RANKS):
            parameters = new_parameters(self.kind, shapes)
            with rank_of(RANKS, rank):
                try:
                    optimizer = self._make(self.kind, parameters)
                    with told(f"step of {self.user.name}"):
                        updated(optimizer, parameters)
                except Problem as problem:
                    return problem
        return None

    def _states(self, formulas):
        """Those that its own state shows; torch's inner optimizers have them all."""
        moments = list(dict.fromkeys(moment for kind in formulas for moment in moments_of(kind)))
        if self.place == user_parts.INNER:
            return ["master", *moments, "gradient"]
        tried = new_parameters(self.kind)
        optimizer = self._make(self.kind, tried)
        with told(f"step of {self.user.name}"):
            updated(optimizer, tried)
        keys = {key for tensor in tried for key in user_parts.state_of(optimizer, tensor)}
        shown = [moment for moment in moments if STATE_KEYS[moment] in keys]
        if shown != moments:
            self.notes.append(
                f"moments are not compared: expected self.state[p][{STATE_KEYS[moments[0]]!r}], as torch's"
            )
        return ["master", *shown, "gradient"]

    def _checkpoint(self):
        gathers = hasattr(self.optimizer, "consolidate_state_dict")
        if gathers or self.place != user_parts.INNER or overrides(self.optimizer, "state_dict"):
            return {**CHECKPOINTS, "checkpoint_reshard": gathers}
        self.notes.append(
            "no checkpoint is asked for: state_dict is torch's, which has nothing of the inner optimizer; override "
            "state_dict and load_state_dict"
        )
        return {}

    def _synchronisation(self):
        """What the DDP in use can do."""
        if self.user.ddp == DDP:
            return {
                **dict.fromkeys(("tied", "buffers", "frozen", "missing_gradients", "accumulation", "clip"), True),
                "bucket_cap_bytes": True,
            }
        self.notes.append("frozen parameters, missing gradients and buffers are asked for beside torch's own DDP alone")
        if self.user.averages_inside:
            self.notes.append("clipping is not asked for: before step no gradient is the mean")
            return {"tied": True, "accumulation": True, "clip": False, "bucket_cap_bytes": False}
        with told(self.user.ddp):
            tensors = new_parameters(self.kind)
            model = self.user.wrap(Probe(dict(enumerate(tensors))), 0)
            model({p: torch.ones_like(tensor) for p, tensor in enumerate(tensors)}).backward()
        accumulates = hasattr(model, "no_sync")
        if not accumulates:
            self.notes.append(f"one micro-batch per step is asked for: {self.user.ddp} has no context no_sync()")
        return {
            "tied": True,
            "accumulation": accumulates,
            "clip": True,
            "bucket_cap_bytes": self.user.bucket_argument is not None,
        }

    def _of_a_step(self):
        """Do counters know what a step moves? Where the optimizer averages, is the mean seen?"""
        give_gradients(self.parameters, 0)
        halves = {id(tensor): tensor.grad / RANKS for tensor in self.parameters}
        found = {"traffic": True}
        try:
            with told(f"step of {self.user.name}"), TrafficCounter():
                self.optimizer.step()
        except Problem as problem:
            self.notes.append(f"bytes on the wire are not counted: {problem}")
            found = {}
        mine = user_parts.held(self.optimizer, self.place, 0, RANKS)
        if self.user.averages_inside and not all(
            tensor.grad is not None and torch.equal(tensor.grad, halves[id(tensor)]) for tensor in mine
        ):
            self.notes.append("only exact gradients are asked for: after step, p.grad of an owner is not the mean")
            found["reduction_orders"] = []
        return found
