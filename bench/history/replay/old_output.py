"""What the programs of bench/ wrote before there were records, as {name of a record: (value, samples, bound)}.

The names are those that the same figures have in today's records, so that a history goes on.
"""

import json
import re
import statistics

PARTS = ("reduce_scatter", "norm", "update", "all_gather")
SUM = re.compile(
    r"^(fp32|bf16) stage (\d) all ranks (\S.*?) {2,}(\d+) +(-?\d+) +(\d+)  (?:equal|NOT EQUAL)", re.MULTILINE
)
HEADING = re.compile(r"^(\S+), plan (\S+), (\d+) ranks, one step of", re.MULTILINE)


class OtherOutput(Exception):
    """Why an output was not understood: one sentence."""


def name_of(what, case):
    """As NameOfFigure of bench/record/figures.cpp."""
    parts = [f"{key}={json.dumps(value).strip(chr(34))}" for key, value in sorted(case.items())]
    return "/".join([what, *parts])


def of_step_bench(text, plan):
    """Its step_bench.json. Raises OtherOutput."""
    try:
        found, told = {}, json.loads(text)
        for result in told["results"]:
            case = {"model": told["model"], "ranks": told["ranks"], "plan": plan, "overlap": False}
            case |= {key: result[key] for key in ("transport", "precision", "stage")}
            found[name_of("optimizer_step", case)] = figure(result["step"], result["bound"])
            for part in PARTS:
                name = name_of("optimizer_step_part", case | {"part": part})
                found[name] = figure(result[part], result.get(f"bound_{part}"))
        return found
    except (ValueError, LookupError, TypeError) as error:
        raise OtherOutput(f"expected step_bench.json as it was before records, got another one ({error!r})") from None


def figure(samples, bounds):
    return statistics.median(samples), samples, statistics.median(bounds) if bounds else None


def of_account_bench(text):
    """The sums over all ranks in what it prints. Raises OtherOutput."""
    heading, sums = HEADING.search(text), SUM.findall(text)
    if not heading or not sums:
        raise OtherOutput("expected what account_bench printed before records, got a text without its sums")
    model, plan, ranks = heading.groups()
    found = {}
    for precision, stage, what, formula, padding, counted in sums:
        case = {"model": model, "plan": plan, "ranks": int(ranks), "overlap": False, "what": what}
        case |= {"precision": precision, "stage": int(stage)}
        found[name_of("bytes_of_all_ranks", case)] = (int(counted), [], int(formula) + int(padding))
    return found
