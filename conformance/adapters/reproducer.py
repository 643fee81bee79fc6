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
SHARED = ("linear_probe", "comparison", "start", "training")  # parts of several templates
STAGES = {
    "deepspeed-0": "deepspeed_stage_0",
    "deepspeed-3": "deepspeed_stage_3",
}  # the others: deepspeed_stages_1_and_2
SAYS = re.compile(r"^# \{([\w ]+): (.*)\}\n", re.MULTILINE)  # a template of itself, in its first lines
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
    e, roles, shown = case.experiment, case.experiment["roles"], said_by(template)["shows"].split(", ")
    has = {
        "a model": e["model"] is not None,
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


def numbers_of_ranks(request):
    """The number of ranks of each run, in the order of the runs."""
    return [len(inputs) for inputs in (request["inputs_of_savers"], request["inputs"]) if inputs]


def description(request):
    seen = f"Seen: {request['seen']}" if request["seen"] else "zerocts saw this case pass."
    return (
        "\n\n".join(
            [
                wrapped(
                    f"{request['clause']} {request['name']}, {request['subject']} {request['version']}, found by "
                    f"zerocts {request['zerocts']}"
                ),
                wrapped(request["requires"]),
                wrapped(seen),
                " &&\n".join(
                    f"    torchrun --standalone --nproc-per-node {ranks} {request['file']}"
                    for ranks in numbers_of_ranks(request)
                ),
                "Exit code 0: as expected; 1: not.",
            ]
        )
        + "\n"
    )


def said_by(template):
    """{"shows": what a case may have, "saves as": how its ranks save}"""
    return dict(SAYS.findall(fragment(template)))


def fragment(name):
    return (FOLDER / f"{name}.py").read_text(encoding="utf-8").rstrip("\n")


def checkpoint_parts(template, case, request):
    """What a file has only where ranks save, or resume from what they saved."""
    if len(legs_of(case, request)) == 1:
        return {}
    kind, how, damaged, loads = (
        said_by(template).get("saves as", "consolidated"),
        case.checkpoint["how"],
        is_damaged(case),
        case.loads_only,
    )
    functions = [
        "lasting_folder" if loads else "common_folder",
        *(["damage"] if damaged else []),
        f"saved_{kind}",
        *([f"loaded_{kind}"] if how != "save_only" else []),
    ]
    suffix = "_deepspeed" if kind == "deepspeed" else ""
    return {
        "checkpoints": "\n\n\n".join(map(fragment, functions)),
        "between_legs": fragment(how + suffix),
        **({"after_legs": fragment("leave" + suffix)} if loads else {"tempfile": "import tempfile"}),
        **({"imports_of_checkpoints": fragment("imports_of_checkpoints_of_fsdp2")} if kind == "fsdp2" else {}),
        **({"pathlib": "from pathlib import Path"} if damaged or loads else {}),
        "loading": fragment("loading_damaged" if damaged else "loading"),
    }


def parts_of(template, case, request):
    """{place: text}; places of which none of these is stay out."""
    frozen = ("freezing", "freeze", "freeze_loaded", "anchor", "anchored") if case.freezes else ()
    stage = STAGES.get(request["subject"], "deepspeed_stages_1_and_2")
    return {
        **checkpoint_parts(template, case, request),
        **{part: fragment(part) for part in (*SHARED, *frozen)},
        "stage": fragment(stage),
    }


def reproducer(template, request):
    case, text = Case(json.dumps(request["case"])), SAYS.sub("", fragment(template))
    for place, part in parts_of(template, case, request).items():
        text = text.replace(f"# {{{place}}}", part)
    text = re.sub(r"\n# \{(?!case\})\w+\}(?=\n)", "", text)
    text = re.sub(r"\n{4,}", "\n\n\n", text)
    used = [assignment(*constant) for constant in constants(request, case) if re.search(rf"\b{constant[0]}\b", text)]
    return text.replace("# {case}", "\n".join(used)).replace("{description}", description(request)) + "\n"


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
