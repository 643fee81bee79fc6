"""DeepSpeed, stages 1 to 3. A rank has one partition of every group of the optimizer. In stages 1 and 2 a partition is
a part of the group's parameters end to end, and says itself which fragments it holds; in stage 3 every parameter is
divided alone, into parts of ceil(numel / ranks), and a partition says only how many elements it has.
"""

import os
from dataclasses import dataclass, field

import files
import torch_saved
from formats import RANK_FILE
from inert_pickle import Inert, is_made_by, state_of
from reading import Reading, Refused, naming, plan_of, sharding
from values import boolean, integer, item, items, member, name, numel, pairs, size, sizes

MODEL_FILE = "mp_rank_00_model_states.pt"
STEP, STEPS = "step", "global_steps"  # of a group of a rank, and of the training
MOST_RANKS = 2**20


@dataclass
class Group:
    numel: int  # of the partition, with its padding
    saved: int  # of it in the file: stages 1 and 2 leave the padding out
    fragments: list = field(default_factory=list)  # of stages 1 and 2: (parameter, start, numel)
    step: float = None  # that the optimizer has counted, where it counts


@dataclass
class Rank:
    file: str
    stage: int
    ranks: int  # by its own account
    groups: list
    problems: list = field(default_factory=list)  # states of another size than the partition


@dataclass
class Model:
    """Parameters of each group of the optimizer, in the order of the flat buffer: {name: shape}."""

    groups: list
    ranks: int
    steps: dict = field(default_factory=dict)  # of the training, by the file that says so

    def tensors(self):
        return [
            {"name": parameter, "shape": shape, **({"group": g} if g else {})}
            for g, group in enumerate(self.groups)
            for parameter, shape in group.items()
        ]


def _shapes_from(value):
    shapes = {name(key, "param_shapes"): sizes(shape, "param_shapes") for key, shape in pairs(value, "group").items()}
    for parameter, shape in shapes.items():
        numel(shape, f"tensor {parameter}")
    return shapes


def model_in(folder):
    """By the first file of model states: every one has all shapes. Each says after how many steps it was saved."""
    of_model = [file for file in files.names_in(folder) if file.endswith(MODEL_FILE)]
    if not of_model:
        raise Refused(f"expected a file ..{MODEL_FILE}: it has the shapes of the parameters whose states stand here")
    model = None
    for file in of_model:
        with naming(file):
            root = torch_saved.load(os.path.join(folder, file)).value
            model = model or _model_from(root)
            if STEPS in pairs(root, "it"):
                model.steps[file] = integer(root[STEPS], STEPS)
    return model


def _model_from(root):
    groups = [_shapes_from(group) for group in items(member(root, "param_shapes", "it"), "param_shapes")]
    zero = pairs(member(member(root, "ds_config", "it"), "zero_optimization", "ds_config"), "zero_optimization")
    model = Model(groups, size(member(root, "dp_world_size", "it"), "dp_world_size"))
    if boolean(zero.get("round_robin_gradients", False), "round_robin_gradients"):
        raise Refused(
            "it was saved with round_robin_gradients: no file says in which order parameters lie in the flat buffer"
        )
    return model


def _stage_from(value):
    if is_made_by(value, "deepspeed.runtime.zero.config.ZeroStageEnum"):
        value = item(value.arguments, 0, "zero_stage")
    if not 1 <= integer(value, "zero_stage") <= 3:
        raise Refused(f"expected zero_stage 1 to 3, got {value}")
    return value


def _ranks_from(value):
    """What stages 1 and 2 say in lists, one entry per group, and stage 3 in one number."""
    if type(value) is list:
        value = value[0] if value else 0
    return size(value, "partition_count")


def _fragments_from(mapping):
    fragments = []
    for parameter, address in pairs(mapping, "param_slice_mappings").items():
        of = state_of(address, "param_slice_mappings")
        start, count = (size(member(of, key, "param_slice_mappings"), key) for key in ("start", "numel"))
        fragments.append((name(parameter, "param_slice_mappings"), start, count))
    return fragments


def _read_states(states, saved, rank):
    """Every tensor of the state of a group has as many elements as the partition, or one (its step count)."""
    for g, state in pairs(states, "state").items():
        if size(g, "state") >= len(rank.groups):
            raise Refused("a state of a group that has no partition")
        group = rank.groups[g]
        group.step = saved.number(pairs(state, "state").get(STEP), STEP)
        for key, value in state.items():
            if not isinstance(value, Inert):
                continue
            count = saved.tensor(value, "state").numel
            if count not in (group.numel, group.saved, 1):
                rank.problems.append(
                    f"{name(key, 'state')} of group {g} has {count} elements: expected {group.numel}, "
                    "those of its partition"
                )


def _rank_from(path, file):
    saved = torch_saved.load(path)
    state = member(saved.value, "optimizer_state_dict", "it")
    stage, ranks = (member(state, key, "optimizer_state_dict") for key in ("zero_stage", "partition_count"))
    rank = Rank(file, _stage_from(stage), _ranks_from(ranks), [])
    is_flat = rank.stage == 3
    key = "fp32_flat_groups" if is_flat else "single_partition_of_fp32_groups"
    for g, partition in enumerate(items(member(state, key, "optimizer_state_dict"), key)):
        count = saved.tensor(partition, key).numel
        padding = 0 if is_flat else size(item(member(state, "group_paddings", "it"), g, "group_paddings"), "padding")
        rank.groups.append(Group(count + padding, count))
    states = member(state, "optimizer_state_dict" if is_flat else "base_optimizer_state", "optimizer_state_dict")
    _read_states(member(states, "state", "optimizer state"), saved, rank)
    if not is_flat:
        mappings = items(member(state, "param_slice_mappings", "it"), "param_slice_mappings")
        if len(mappings) != len(rank.groups):
            raise Refused(f"param_slice_mappings of {len(mappings)} groups: expected {len(rank.groups)}")
        for group, mapping in zip(rank.groups, mappings):
            group.fragments = _fragments_from(mapping)
    return rank


def _ranks_in(folder):
    """By their numbers."""
    ranks = {}
    for file in files.names_in(folder):
        found = RANK_FILE.fullmatch(file)
        if not found:
            continue
        number, tensor_rank = int(found[1]), int(found[2])
        if tensor_rank != 0:
            raise Refused(f"{file}: expected one tensor-parallel rank, mp_rank_00, for each has tensors of its own")
        if number in ranks:
            raise Refused(f"{file}: there are two files of rank {number}")
        with naming(file):
            ranks[number] = _rank_from(os.path.join(folder, file), file)
    return ranks


class DeepspeedReader:
    def __init__(self, folder):
        self.ranks, self.model, self.reading = _ranks_in(folder), model_in(folder), Reading()
        if not self.ranks:
            raise Refused("expected files zero_pp_rank_*_optim_states.pt, got none")
        if not 1 <= self.model.ranks <= MOST_RANKS:
            raise Refused(f"dp_world_size is {self.model.ranks}: expected 1 to {MOST_RANKS}")
        self.stage = next(iter(self.ranks.values())).stage
        self.intervals = {tensor["name"]: [] for tensor in self.model.tensors()}
        self.partitions = {}  # elements of each group's, which all ranks have alike
        self.steps = {}  # the first rank's of each group, and its file

    def read(self):
        missing = 0
        for number in range(self.model.ranks):
            if number in self.ranks:
                self.read_rank(number, self.ranks[number])
                continue
            missing += 1
            if missing == 1:
                self.fault(f"the file of rank {number} is missing: dp_world_size is {self.model.ranks}")
        if missing > 1:
            self.fault(f"the files of {missing - 1} further ranks are missing")
        for number, rank in sorted(self.ranks.items()):
            if number >= self.model.ranks:
                self.fault(f"{rank.file} is of no rank: dp_world_size is {self.model.ranks}")
        self.judge_steps_of_training()
        self.set_plan()
        return self.reading

    def fault(self, sentence):
        self.reading.faults.append(sentence)

    def read_rank(self, number, rank):
        for problem in rank.problems:
            self.fault(f"{rank.file}: {problem}")
        got = (rank.stage, rank.ranks, len(rank.groups))
        wanted = (self.stage, self.model.ranks, len(self.model.groups))
        if got != wanted:
            self.fault(
                "{} is of another run: stage {}, {} ranks, {} groups; expected stage {}, {} ranks, {} groups".format(
                    rank.file, *got, *wanted
                )
            )
            return
        add = self.add_parts if self.stage == 3 else self.add_fragments
        for g, group in enumerate(rank.groups):
            self.judge_step(g, group, rank.file)
            add(number, g, group, rank.file)

    def judge_step(self, g, group, file):
        """All ranks take a step together."""
        if group.step is None:
            return
        wanted, by = self.steps.setdefault(g, (group.step, file))
        if group.step != wanted:
            self.fault(
                f"{file}: its state of group {g} is of step {group.step:g}, that of {by} of step {wanted:g}: the files "
                "are of two steps"
            )

    def judge_steps_of_training(self):
        """An optimizer may have taken fewer steps, for it skips those that overflow."""
        for file, steps in self.model.steps.items():
            first, wanted = next(iter(self.model.steps.items()))
            if steps != wanted:
                self.fault(f"{file} is of step {steps}, {first} of step {wanted}: the files are of two steps")
        least = min(self.model.steps.values(), default=None)
        for step, file in self.steps.values():
            if least is not None and step > least:
                self.fault(f"{file} is of step {step:g}, the model's files of step {least}: the files are of two steps")

    def add_parts(self, number, g, group, file):
        """Only the sum can be compared with what the partition has."""
        counts = {parameter: numel(shape, parameter) for parameter, shape in self.model.groups[g].items()}
        parts = {parameter: -(-count // self.model.ranks) for parameter, count in counts.items()}
        wanted = sum(parts.values())
        if group.numel != wanted:
            self.fault(f"{file}: its partition of group {g} has {group.numel} elements: expected {wanted}")
            return
        for parameter, part in parts.items():
            begin = min(number * part, counts[parameter])
            self.add(parameter, number, begin, min(begin + part, counts[parameter]))

    def add_fragments(self, number, g, group, file):
        wanted = self.partitions.setdefault(g, group.numel)
        if group.numel != wanted:
            self.fault(
                f"{file}: its partition of group {g} has {group.numel} elements: expected {wanted}, as the ranks before"
            )
            return
        offsets, offset = {}, 0  # of parameters in the flat buffer of the group
        for parameter, shape in self.model.groups[g].items():
            offsets[parameter] = offset
            offset += numel(shape, parameter)
        for parameter, start, count in group.fragments:
            if parameter not in offsets:
                self.fault(f"{file}: {parameter} is no parameter of group {g}")
            elif start + count > group.numel:
                self.fault(
                    f"{file}: {parameter} is said to end at {start + count} of a partition of {group.numel} elements"
                )
            else:
                first = number * group.numel + start - offsets[parameter]
                self.add(parameter, number, first, max(first, 0) + count)

    def add(self, parameter, rank, begin, end):
        self.intervals[parameter].append([begin, end, rank])

    def set_plan(self):
        planner, tensors = f"DeepSpeed stage {self.stage}", self.model.tensors()
        rules = [{"rule": "intervals", "intervals": self.intervals[tensor["name"]]} for tensor in tensors]
        divided = sharding(["data"], rules)
        states = {  # by stage: parameters, gradients, optimizer
            1: ("whole", "whole", divided),
            2: ("whole", divided, "gradients"),
            3: (divided, "parameters", "parameters"),
        }
        self.reading.plan = plan_of(planner, {"data": self.model.ranks}, tensors, *states[self.stage])
        self.reading.format = (
            f"{planner}: {len(self.ranks)} of {self.model.ranks} files of optimizer states, "
            f"{len(tensors)} parameters in {len(self.model.groups)} groups"
        )
        self.reading.untold = [
            "gradients, which no checkpoint has: taken as the stage divides them",
            "a file of another rank or run whose partitions have the same sizes and fragments: nothing names its owner",
            "frozen parameters: only what the optimizer has is judged",
        ]
        if self.stage == 3:
            self.reading.untold.append(
                "which elements a partition of stage 3 holds: it says how many, DeepSpeed's formula which"
            )


def read(folder):
    return DeepspeedReader(folder).read()
