"""DeepSpeed's universal checkpoints: per parameter a folder with one file per state, each whole. Of which parameters
there must be a folder, and how large they are, says a file of model states beside them.
"""

import os

import deepspeed_stages
import files
import torch_saved
from reading import Reading, naming, plan_of, sharding
from values import member, numel

STATE, STEP_COUNT = ".pt", "step.pt"


def _step_of(path):
    saved = torch_saved.load(path)
    return saved.number(saved.value, "the step")


def _numel_of(path):
    """Elements of the state in a file, which is a tensor, or a dict that has it as "param"."""
    saved = torch_saved.load(path)
    value = member(saved.value, "param", "it") if isinstance(saved.value, dict) else saved.value
    return saved.tensor(value, "the state").numel


class UniversalReader:
    def __init__(self, folder):
        self.zero, self.model, self.reading = os.path.join(folder, "zero"), deepspeed_stages.model_in(folder), Reading()
        self.files = 0

    def read(self):
        tensors = self.model.tensors()
        rules = [
            {"rule": "intervals", "intervals": [[0, numel(tensor["shape"], "it"), 0]] if self.is_whole(tensor) else []}
            for tensor in tensors
        ]
        self.judge_steps()
        planner = "DeepSpeed universal"
        self.reading.plan = plan_of(planner, {"file": 1}, tensors, optimizer=sharding(["file"], rules))
        self.reading.format = f"{planner}: {len(tensors)} parameters in {self.files} files of states"
        self.reading.untold = [
            "who held what in the training: every state of every parameter is whole in its file",
            "a state of another run: files have no hash",
            "parameters: the master is taken for them",
        ]
        return self.reading

    def judge_steps(self):
        """Parameters of a group of the optimizer have been stepped together."""
        for group in self.model.groups:
            steps = {}  # the first parameter that has it
            for parameter in group:
                path = os.path.join(self.zero, files.plain_name(parameter, "param_shapes"), STEP_COUNT)
                if not os.path.isfile(path):
                    continue
                shown = f"zero/{parameter}/{STEP_COUNT}"
                with naming(shown):
                    steps.setdefault(_step_of(path), shown)
            if len(steps) > 1:
                told = ", ".join(f"{shown} of step {step}" for step, shown in list(steps.items())[:2])
                self.reading.faults.append(f"{told}: the files are of two steps")

    def is_whole(self, tensor):
        """Its master is there, and every state has all its elements."""
        folder = os.path.join(self.zero, files.plain_name(tensor["name"], "param_shapes"))
        shown = f"zero/{tensor['name']}"
        if not os.path.isfile(os.path.join(folder, "fp32.pt")):
            self.reading.faults.append(f"{shown}/fp32.pt is missing")
            return False
        wanted, is_whole = numel(tensor["shape"], shown), True
        for file in files.names_in(folder):
            if not file.endswith(STATE) or file == STEP_COUNT:
                continue
            self.files += 1
            with naming(f"{shown}/{file}"):
                count = _numel_of(os.path.join(folder, file))
            if count != wanted:
                self.reading.faults.append(f"{shown}/{file} has {count} elements: expected {wanted}")
                is_whole = False
        return is_whole


def read(folder):
    return UniversalReader(folder).read()
