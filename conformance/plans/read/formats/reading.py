"""What a reader says of a checkpoint, or why it cannot be read."""

import contextlib
import re
from dataclasses import dataclass, field

LONGEST_NAME = 4096  # bytes of UTF-8
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


class Refused(Exception):
    """It cannot be read. One sentence: what was expected, what was got."""


@dataclass
class Reading:
    format: str = ""  # "torch DCP: 3 files of 3 writers, 24 tensors"
    plan: dict = field(default_factory=dict)  # reference/plan/forms/plan.schema.json
    faults: list = field(default_factory=list)  # what is wrong beside the plan: a file that is missing or cut off
    untold: list = field(default_factory=list)  # what no file of this format says


@contextlib.contextmanager
def naming(name):
    """Puts the name of a file before the sentence of a refusal."""
    try:
        yield
    except Refused as refused:
        raise Refused(f"{name}: {refused}") from None


def is_printable(text):
    return not CONTROLS.search(text) and len(text.encode()) <= LONGEST_NAME


def shown(text, most=40):
    """A text from outside, as it may stand in a sentence."""
    return "".join(c if " " <= c <= "~" else "?" for c in text[:most]) + (".." if len(text) > most else "")


def plan_of(planner, mesh, tensors, parameters="whole", gradients="whole", optimizer="whole"):
    """mesh: {axis: size}; a state is "whole", the name of a state before it, or a sharding."""
    return {
        "format": "zerocts-plan",
        "version": 1,
        "planner": planner,
        "mesh": [{"axis": axis, "size": size} for axis, size in mesh.items()],
        "parameters": parameters,
        "gradients": gradients,
        "optimizer": optimizer,
        "model": tensors,
    }


def sharding(axes, rules):
    """rules: one per tensor of the model, in its order."""
    return {"axes": axes, "divisions": [{"tensors": [[t, t + 1]], **rule} for t, rule in enumerate(rules)]}
