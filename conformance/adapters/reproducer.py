"""Writes a Python file that shows a failure with the framework alone: a template of reproducers/ with the numbers of
one case.

usage: reproducer.py TEMPLATE < REQUEST > FILE   (conformance/session/failure/reproducer.cpp makes the request)
exit 0: the file is on standard output; 2: the one sentence that says why there is none
"""

import json
import math
import re
import signal
import sys
import textwrap
from pathlib import Path
from pprint import pformat

import numpy

from zerocts_rank.case import Case
from zerocts_rank.inputs import Inputs
from zerocts_torch import deepspeed_config, hyper_parameters

FOLDER = Path(__file__).parent / "reproducers"
COLUMNS = 120
SECONDS = 60  # it only writes text
SHOWS = re.compile(r"^# \{shows: (.*)\}\n")  # the first line of a template
PART = re.compile(r"^# --- (.+)\n", re.MULTILINE)  # begins one, behind the template itself
ONLY = re.compile(r"^(.*)  # \{only: (.*)\}\n", re.MULTILINE)  # a line for some files alone
SAME_VALUES = {
    "parameter_again": "parameter",
    "parameter_before_step": "parameter",
    "clip_coefficient": "grad_norm",
    **hyper_parameters.STATE_KEYS,
}


class Code(str):
    """Stands in the file as it is."""

    __repr__ = str.__str__


def literal(value):
    return value if math.isfinite(value) else Code(f'float("{value}")')


def numbers(values):
    """Each float32 by the fewest digits that give it."""
    return [literal(float(str(value))) for value in numpy.asarray(values, numpy.float32)]


def from_bits(bits):
    return numpy.array(bits, "<u4").view("<f4")


def not_in_template(template, case):
    """What this case has and the template does not show; "" when there is nothing."""
    e, roles, shown = (
        case.experiment,
        case.experiment["roles"],
        SHOWS.match(parts_of(template)["template"])[1].split(", "),
    )
    has = {
        "a model": e["model"] is not None,
        "extra calls": case.extra_calls,
        "tensor ranks": case.tensor > 1,
        "experts": case.experts > 1,
        "no elements": not any(parameter.numel for parameter in case.parameters),
        "loss scaling": e["loss_scaling"]["kind"] != "none",
        "replicas": case.replicas > 1,
        "frozen parameters": case.freezes,
        "a quadratic loss": case.curvature != 0,
        "missing gradients": case.misses_gradients,
        "tied names": roles["tied"],
        "buffers": roles["buffers"],
        "bf16": case.precision == "bf16",
        "sums in bf16": "bf16" in (case.reduce_dtype, case.accumulation_dtype),
        "mixed precisions": roles["precisions"],
    }
    return " and ".join(what for what, is_there in has.items() if is_there and what not in shown)


def gradients_of(case, inputs, savers, steps):
    """[rank][step][micro-batch][parameter]; nothing of a rank in the steps of others."""

    def micro_batches(ranks, rank, step):
        given = [ranks[rank].gradients(step, k) for k in range(case.micro_batches)] if rank < len(ranks) else []
        return [[None if g is None else numbers(g) for g in gradients] for gradients in given]

    if case.trains_model:
        return []
    return [
        [micro_batches(savers if step < case.first_step else inputs, rank, step) for step in range(steps)]
        for rank in range(max(len(inputs), len(savers)))
    ]


def batches_of(case, inputs, steps):
    """[rank][step][micro-batch] of (inputs, targets)."""
    if not case.trains_model:
        return []

    def batch(rank, step, k):
        return tuple(tokens.tolist() for tokens in rank.batch(step, k))

    return [[[batch(rank, step, k) for k in range(case.micro_batches)] for step in range(steps)] for rank in inputs]


def changes_of(case, steps):
    """{step: {group: options}}; those of step 0 are among the groups."""
    changes = {
        step: {group: hyper_parameters.options(case.optimizer, values) for group, values in case.changes(step)}
        for step in range(1, steps)
    }
    return {step: groups for step, groups in changes.items() if groups}


def legs_of(case, request):
    """[(begin, end)] of steps: between two of them the ranks save a checkpoint, or resume from one."""
    steps = request["steps"]
    first = case.checkpoint["after_step"] + 1 if case.checkpoint else steps
    if is_damaged(case):
        return [(0, first), (first, first)]  # the second is not to begin
    return [(0, first), (first, steps)] if first < steps or request["after_resume"] or case.loads_only else [(0, steps)]


def is_damaged(case):
    return "damage" in (case.checkpoint or {})


def damage_of(case):
    if not is_damaged(case):
        return []
    damage = case.checkpoint["damage"]
    return [
        (
            "DAMAGED",
            damage["file"],
            "of the files that are not empty, in the order of their names, from 0; modulo their number",
        ),
        ("IS_MISSING", damage["what"] == "missing", "else half of it is left"),
    ]


def names_of(case):
    """{state of a case: what holds its values}. The masters of fp32 parameters are these."""
    return SAME_VALUES if case.precision == "bf16" else {**SAME_VALUES, "master": "parameter"}


def constants(request, case):
    """[(name, value, comment)] in the order of the file."""
    inputs, savers = (
        [Inputs(case, rank["without_gradient"], [from_bits(frame) for frame in rank["frames"]]) for rank in ranks]
        for ranks in (request["inputs"], request["inputs_of_savers"])
    )
    ranks = range(case.world_size) if request["rank"] < 0 else [request["rank"]]
    cap = {"bucket_cap_mb": case.bucket_cap_bytes / 2**20} if case.bucket_cap_bytes else {}
    subject, names = request["subject"], names_of(case)
    return [
        ("SHAPES", [parameter.shape for parameter in case.parameters], ""),
        ("INITIAL", [numbers(values) for values in inputs[0].initial()], ""),
        ("OPTIMIZER", Code(f"torch.optim.{hyper_parameters.CLASS_NAMES[case.optimizer]}"), ""),
        ("DEFAULTS", hyper_parameters.defaults(case), ""),
        ("GROUPS", hyper_parameters.parameter_groups(case, range(len(case.parameters))), ""),
        ("CHANGES", changes_of(case, request["steps"]), "{step: {group: options}}"),
        ("LEGS", legs_of(case, request), "of steps; between two of them is a checkpoint"),
        *damage_of(case),
        ("SAVERS", len(savers), "ranks; another number loads"),
        (
            "FROZEN",
            [[p for p in range(len(case.parameters)) if case.is_frozen(p, step)] for step in range(request["steps"])],
            "[step][parameters]",
        ),
        ("MAX_NORM", case.max_norm, "0: no clipping"),
        ("NORM_TYPE", literal(hyper_parameters.NORM_TYPES[case.clip_norm]), ""),
        ("BUCKET", cap, ""),
        ("SYNC_EVERY_MICRO_BATCH", case.gradient_sync == "every_micro_batch", "else at the last one of a step"),
        ("TIED_TO", [parameter.tied_to for parameter in case.parameters], ""),
        ("BF16", case.precision == "bf16", "parameters; masters, sums and states are fp32"),
        ("RESHARD", not subject.endswith("-noreshard"), ""),
        ("SHARDED_DDP", subject.endswith("-sharded-ddp"), ""),
        ("CONFIG", deepspeed_config.of(case, case.stage), ""),
        ("POISON", case.poison_memory, "fresh memory holds NaN"),
        ("GRADIENTS", gradients_of(case, inputs, savers, request["steps"]), "[rank][step][micro-batch][parameter]"),
        ("BATCHES", batches_of(case, inputs, request["steps"]), "[rank][step][micro-batch] of tokens and targets"),
        ("TENSOR_RANKS", case.tensor, ""),
        ("FSDP2", subject.endswith("-fsdp2"), ""),
        (
            "EXPECTED",
            {
                (names.get(e["what"], e["what"]), e["parameter"]): numbers(from_bits(e["bits"]))
                for e in request["expected"]
            },
            f"after {request['steps']} steps",
        ),
        ("RANKS", list(ranks), "that compare"),
    ]


def assignment(name, value, comment):
    margin = " " * len(f"{name} = ")
    text = pformat(value, width=COLUMNS - len(margin), compact=True, sort_dicts=False).replace("\n", "\n" + margin)
    remark = f"  # {comment}" if comment and "\n" not in text else ""
    return (f"# {comment}\n" if comment and not remark else "") + f"{name} = {text}{remark}"


def wrapped(text):
    return textwrap.fill(" ".join(text.split()).replace("\\", "\\\\").replace('"""', "'''"), COLUMNS)


def description(request):
    found = f"{request['clause']} {request['name']}, {request['subject']} {request['version']}"
    runs = [len(inputs) for inputs in (request["inputs_of_savers"], request["inputs"]) if inputs]
    paragraphs = [
        wrapped(f"{found}, found by zerocts {request['zerocts']}"),
        wrapped(request["requires"]),
        wrapped(f"Seen: {request['seen']}" if request["seen"] else "zerocts saw this case pass."),
        " &&\n".join(f"    torchrun --standalone --nproc-per-node {ranks} {request['file']}" for ranks in runs),
        "Exit code 0: as expected; 1: not.",
    ]
    return "\n\n".join(paragraphs) + "\n"


def parts_of(template):
    """{name: text} of the template, and of the parts that stand behind it or are those of all."""
    parts = {}
    for name in ("parts", template):
        whole, *others = PART.split((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
        parts |= {"template": whole, **dict(zip(others[::2], others[1::2]))}
    return {name: text.strip("\n") for name, text in parts.items()}


def checkpoint_of(parts, case, request):
    """(functions of a file whose ranks save, or resume from what they saved; what its lines are for)"""
    if len(legs_of(case, request)) == 1:
        return "", set()
    how = case.checkpoint["how"]
    functions = [
        "lasting_folder" if case.loads_only else "common_folder",
        *(["damage"] if is_damaged(case) else []),
        "saved",
        *(["loaded"] if how != "save_only" else []),
    ]
    return "\n\n\n".join(parts[name] for name in functions), {how, "damaged" if is_damaged(case) else "whole"}


def reproducer(template, request):
    case, parts = Case(json.dumps(request["case"])), parts_of(template)
    checkpoints, wanted = checkpoint_of(parts, case, request)
    parts |= {"checkpoints": checkpoints, "stage": parts.get(request["subject"], parts.get("stage"))}
    wanted |= {"frozen"} if case.freezes else set()
    text = SHOWS.sub("", parts["template"]) + "\n"
    text = re.sub(r"^# \{(\w+)\}$", lambda place: parts.get(place[1], place[0]), text, flags=re.MULTILINE)
    text = ONLY.sub(lambda line: f"{line[1]}\n" if wanted & set(line[2].split()) else "", text)
    text = re.sub(r"\n{4,}", "\n\n\n", text)
    used = [assignment(*constant) for constant in constants(request, case) if re.search(rf"\b{constant[0]}\b", text)]
    return text.replace("# {case}", "\n".join(used)).replace("{description}", description(request))


def give_up(sentence):
    print(sentence)
    sys.exit(2)


def main():
    signal.alarm(SECONDS)
    template, request = sys.argv[1], json.load(sys.stdin)
    if not (FOLDER / f"{template}.py").is_file():
        give_up(f"there is no template {template} yet")
    case = Case(json.dumps(request["case"]))
    if missing := not_in_template(template, case):
        give_up(f"the template {template} does not show {missing}")
    if case.json["fidelity"] == "bounded":
        if request["rank"] >= 0:
            give_up("what is expected is a bound, which no template shows yet")
        request["expected"] = []  # it shows what is raised
    sys.stdout.write(reproducer(template, request))


if __name__ == "__main__":
    main()
