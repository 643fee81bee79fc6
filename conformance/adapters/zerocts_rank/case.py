"""A case as a value: what is trained, on how many ranks, and what is shown. Fields are those of its JSON."""

import dataclasses
import json

import numpy

from .invalid_request import with_undefined_code


def fp32(number):
    """The value that the number has in the case: JSON writes the shortest decimal that gives the float32."""
    return float(numpy.float32(number))


def moments_of(optimizer):
    """What its state has beside the master weights."""
    return ["momentum"] if optimizer in ("sgd", "muon") else ["exp_avg", "exp_avg_sq"]


@dataclasses.dataclass(frozen=True)
class Parameter:
    name: str
    shape: tuple
    group: int
    precision: str  # "fp32", "bf16": of its values and gradients
    tied_to: int  # index of the parameter whose storage it names; its own when it is not tied
    is_buffer: bool

    @property
    def numel(self):
        return int(numpy.prod(self.shape, dtype=numpy.int64))


@dataclasses.dataclass(frozen=True)
class Groups:
    """Hyper-parameters of one parameter group."""

    lr: float
    weight_decay: float
    momentum: float
    beta1: float
    beta2: float
    eps: float
    dampening: float
    nesterov: bool

    @staticmethod
    def of(values):
        return Groups(
            nesterov=values.get("nesterov", False),
            **{
                field.name: fp32(values.get(field.name, 0.0))
                for field in dataclasses.fields(Groups)
                if field.name != "nesterov"
            },
        )


class Case:
    def __init__(self, text):
        self.json = with_undefined_code(json.loads(text))
        experiment = self.json["experiment"]
        self.experiment = experiment
        self._roles = experiment["roles"]
        experts = experiment.get("experts", {"count": 1, "parameters": []})
        self.experts = experts["count"]  # rank r has the parameters of expert r % experts, and of no other
        self.expert_divisor = experts.get("divisor", "world")
        self._expert_of = {entry["parameter"]: entry["expert"] for entry in experts["parameters"]}
        self.stage, self.plan, self.reduction_order = (
            self.json["stage"],
            self.json["plan"],
            self.json["reduction_order"],
        )
        self.bucket_cap_bytes = int(self.json["bucket_cap_bytes"])
        self.poison_memory = self.json["poison_memory"]
        self.replicas = self.json.get("replicas", 1)
        self.undeclared = self.json.get("undeclared", False)  # it is to be refused
        self.invalid_request = self.json.get("invalid_request", "none")  # with undeclared
        self.checkpoint = self.json.get("checkpoint")  # None: no step ends in one
        self.extra_calls = self.json.get("extra_calls", [])  # between those that train, in their order
        self.gradient_sync = self.json.get("gradient_sync", "last_micro_batch")
        self.tensor, self.tensor_parts = self.json.get("tensor", 1), self.json.get("tensor_parts", "even")
        self.data_ranks, self.micro_batches, self.steps = (
            experiment["world_size"],
            experiment["micro_batches"],
            experiment["steps"],
        )
        self.precision, self.optimizer = experiment["precision"], experiment["optimizer"]
        self.max_norm, self.clip_epsilon = fp32(experiment["max_norm"]), fp32(experiment["clip_epsilon"])
        self.clip_norm, self.clip_formula = experiment["clip_norm"], experiment["clip_formula"]
        self.reduce_dtype, self.accumulation_dtype = experiment["reduction"], experiment["accumulation"]
        self.seed = int(experiment["seed"])
        self.model, self.batch = experiment["model"], int(experiment["batch"])
        self.parameters = [self._parameter(p, values) for p, values in enumerate(experiment["parameters"])]
        self.groups = [Groups.of(values) for values in experiment["groups"]]
        for group, values in self.changes(0):
            self.groups[group] = values

    @property
    def world_size(self):
        """The number of all ranks; `tensor` of them at a time train on the same data."""
        return self.data_ranks * self.tensor

    def model_says(self, name):
        """Is this flag of the model set?"""
        return any(spec.get(name, False) for spec in (self.model or {}).values())

    def _parameter(self, p, values):
        tied = {entry["parameter"]: entry["owner"] for entry in self._roles["tied"]}
        precisions = {entry["parameter"]: entry["precision"] for entry in self._roles["precisions"]}
        return Parameter(
            values["name"],
            tuple(values["shape"]),
            values["group"],
            precisions.get(p, self.precision),
            tied.get(p, p),
            p in self._roles["buffers"],
        )

    @property
    def curvature(self):
        """The curvature of the loss that given gradients come from (loss.py); 0: it is linear."""
        return self.experiment.get("curvature", 0.0)

    @property
    def trains_model(self):
        """Are batches of `model`, {kind: sizes}, given in place of gradients?"""
        return self.experiment["gradients"] == "model"

    def changes(self, step):
        """[(group, values)] that begin with this step."""
        return [
            (change["group"], Groups.of(change["values"]))
            for change in self.experiment["changes"]
            if change["step"] == step
        ]

    def is_frozen(self, p, step):
        return any(span["parameter"] == p and span["begin"] <= step < span["end"] for span in self._roles["frozen"])

    @property
    def freezes(self):
        """Is any parameter frozen in any step?"""
        return bool(self._roles["frozen"])

    @property
    def misses_gradients(self):
        """Is there a parameter without a gradient in any micro-batch of any rank?"""
        return bool(self._roles["without_gradient"] or self._roles.get("missing"))

    def is_on(self, rank, p):
        """Has the rank the parameter, or is that another expert's?"""
        return p not in self._expert_of or self._expert_of[p] == rank % self.experts

    def is_dense(self, p):
        """Has every rank the parameter?"""
        return p not in self._expert_of

    def has_state(self, p):
        return self.parameters[p].tied_to == p and not self.parameters[p].is_buffer

    def is_updated(self, p, step):
        """Does the optimizer update it in this step: does any micro-batch of any rank have a gradient for one of its
        names?
        """
        if not self.has_state(p) or self.is_frozen(p, step):
            return False
        names = [name for name, parameter in enumerate(self.parameters) if parameter.tied_to == p]
        return any(
            self._gives_gradient(name, step, g) for name in names for g in range(self.data_ranks * self.micro_batches)
        )

    def _gives_gradient(self, p, step, g):
        spans = [span for span in self._roles["without_gradient"] if span["parameter"] == p]
        missing = {"parameter": p, "step": step, "g": g} in self._roles.get("missing", [])
        never = any(span["begin"] <= step < span["end"] for span in spans)
        return self.is_on(g // self.micro_batches, p) and not missing and not never

    def saves_after(self, step):
        return self.checkpoint is not None and self.checkpoint["after_step"] == step

    @property
    def extra_saves(self):
        """Extra calls that save a checkpoint."""
        return [call for call in self.extra_calls if call["kind"] in ("save", "resume")]

    @property
    def saved_for_return(self):
        """Which of them saved what a return loads: the first one after a step."""
        return next((call for call in self.extra_saves if call["step"] > 0), None)

    @property
    def loads_only(self):
        """Does the run begin with what another number of ranks saved?"""
        return self.checkpoint is not None and self.checkpoint["how"] == "load"

    @property
    def first_step(self):
        return self.checkpoint["after_step"] + 1 if self.loads_only else 0

    def resumes_after(self, step):
        """Is what was saved loaded, too?"""
        return self.saves_after(step) and self.checkpoint["how"] == "resume"

    def observes(self, what):
        """ "parameters", "states", "gradient", "memory", "traffic"."""
        return self.json.get("observe_" + what, False)

    @property
    def reports_steps(self):
        """Does each rank tell of a step when it is made, and go on when it is told to?"""
        return self.json.get("report_steps", False)

    def observes_step(self, step):
        return not self.json["observe_last_step_only"] or step == self.steps - 1
