"""A planner that a framework answers for: requests come on standard input, a line of JSON each, and plans go out.

A planner is a function of a Request that returns what a plan says of each state; serve() does the rest. Import this
module before the framework: from then on what anybody prints goes to standard error. What the framework refuses with
ValueError, RuntimeError or NotImplementedError is "unimplemented" in its own words; any other exception is a failure.
"""

import json
import logging
import os
import sys
import traceback
import warnings
from dataclasses import dataclass, field

ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import torch  # noqa: E402

DTYPES = {
    "fp64": torch.float64,
    "fp32": torch.float32,
    "bf16": torch.bfloat16,
    "fp16": torch.float16,
    "fp8_e4m3": torch.float8_e4m3fn,
    "fp8_e5m2": torch.float8_e5m2,
}
WHOLE = "whole"


@dataclass
class Request:
    """What is asked; `parameters` are the tensors by name, on the meta device: they have shapes, but no memory."""

    stage: int
    rank: int
    replicas: int
    shards: int
    options: dict
    parameters: dict = field(default_factory=dict)  # name -> Parameter; a tied name has that of the other name
    tied: set = field(default_factory=set)  # names of parameters that stand under another name too
    groups: list = field(default_factory=list)  # parameters of each group of the optimizer, without tied names

    def parameter_groups(self):
        """As optimizers of torch take them; those without parameters are left out."""
        return [{"params": group} for group in self.groups if group]

    @property
    def shard(self):
        return self.rank % self.shards

    def option(self, name, known):
        """The first of `known` where the request says nothing."""
        value = self.options.get(name, known[0])
        if value not in known:
            raise ValueError(f"option {name}: expected one of {', '.join(known)}, got {value}")
        return value

    def named(self):
        """Names and parameters, each parameter once."""
        return [(name, parameter) for name, parameter in self.parameters.items() if name not in self.tied]

    def only_stages(self, *stages):
        if self.stage not in stages:
            raise NotImplementedError(f"it has stages {', '.join(map(str, stages))}")


def request_of(line):
    asked = json.loads(line)
    replicate, shard = asked["mesh"]
    request = Request(asked["stage"], asked["rank"], replicate["size"], shard["size"], asked.get("options", {}))
    for tensor in asked["model"]:
        add_tensor(request, tensor)
    return request


def add_tensor(request, tensor):
    if "tied_to" in tensor:
        request.parameters[tensor["name"]] = request.parameters[tensor["tied_to"]]
        request.tied.add(tensor["name"])
        return
    dtype = tensor.get("dtype", "fp32")
    if dtype not in DTYPES:
        raise NotImplementedError(f"it trains no parameters of {dtype}")
    data = torch.empty(tensor["shape"], dtype=DTYPES[dtype], device="meta")
    parameter = torch.nn.Parameter(data, requires_grad=not tensor.get("frozen", False))
    request.parameters[tensor["name"]] = parameter
    group = tensor.get("group", 0)
    request.groups.extend([] for _ in range(group + 1 - len(request.groups)))
    request.groups[group].append(parameter)


def plan_of(states):
    return {"format": "zerocts-plan", "version": 1, **states}


def sharded(divisions):
    """A state that is divided along the shard axis."""
    return {"axes": ["shard"], "divisions": divisions}


def states_of_stage(request, divisions):
    """What stages divide: the optimizer state from 1 on, gradients from 2 on, parameters in 3. Frozen parameters have
    neither of the first two.
    """
    frozen = {name for name, parameter in request.named() if not parameter.requires_grad}
    trained = sharded([kept for division in divisions if (kept := without(division, frozen))["tensors"]])
    return {
        "parameters": sharded(divisions) if request.stage >= 3 else WHOLE,
        "gradients": trained if request.stage >= 2 else WHOLE,
        "optimizer": trained if request.stage >= 1 else WHOLE,
    }


def without(division, left_out):
    """The division of the other tensors, which stay where they are: lists with an entry per tensor lose some."""
    kept = [index for index, name in enumerate(division["tensors"]) if name not in left_out]
    per_tensor = [key for key in ("tensors", "owners", "offsets") if key in division]
    return {**division, **{key: [division[key][index] for index in kept] for key in per_tensor}}


def by_owner(request, groups_of_ranks):
    """One division of whole tensors, given each rank's parameter groups as optimizers of torch have them."""
    rank_of = {
        id(parameter): rank
        for rank, groups in enumerate(groups_of_ranks)
        for group in groups
        for parameter in group["params"]
    }
    named = request.named()
    owners = [rank_of[id(parameter)] for _, parameter in named]
    return {"tensors": [name for name, _ in named], "rule": "owners", "owners": owners}


def flat_buffer(names, offsets, buffer, shards):
    """One division of a flat buffer in which the tensors begin at `offsets`; `shards` are views of the buffer."""
    return {
        "tensors": names,
        "flat": True,
        "offsets": offsets,
        "length": buffer.numel(),
        "rule": "intervals",
        "intervals": intervals_of(shards),
    }


def intervals_of(views):
    """Intervals of a tensor or flat buffer, given each shard's view of it."""
    return [
        [view.storage_offset(), view.storage_offset() + view.numel(), shard]
        for shard, view in enumerate(views)
        if view.numel() > 0
    ]


def answer_to(planner, line):
    try:
        return plan_of(planner(request_of(line)))
    except (ValueError, RuntimeError, NotImplementedError) as refusal:
        return {"unimplemented": sentence(refusal)}
    except Exception as failure:  # noqa: BLE001  whatever a framework raises
        traceback.print_exc()
        return {"failed": f"{type(failure).__name__}: {sentence(failure)}"}


def sentence(error):
    lines = str(error).strip().splitlines()
    return lines[0][:300] if lines else type(error).__name__


def serve(planner):
    """Answers until there are no more requests."""
    for line in sys.stdin:
        print(json.dumps(answer_to(planner, line)), file=ANSWERS, flush=True)
