"""What needs a GPU, in the order of its value. A section is one program: its results are read while it runs."""

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

BENCH = Path(__file__).resolve().parents[2] / "bench"  # in the sources, and in a packed folder

GTEST_END = re.compile(r"\[ *(OK|FAILED|SKIPPED) *\] (\S+) \((\d+) ms\)")
GTEST_RESULT = {"OK": "passed", "FAILED": "failed", "SKIPPED": "not run"}
CLAUSE_RESULT = {"pass": "passed", "self_reported": "passed", "expected_failure": "passed", "not_applicable": "not run"}


def of_gtest(line):
    """The result that a line of a GoogleTest program tells, if it tells one."""
    end = GTEST_END.match(line)
    if end:
        return {"name": end.group(2), "result": GTEST_RESULT[end.group(1)], "seconds": int(end.group(3)) / 1000}
    return None


def of_event(line):
    """The same for a line of a results.ndjson of zerocts."""
    event = json.loads(line)
    if event.get("record") != "clause_end":
        return None
    return {
        "name": event["clause"],
        "result": CLAUSE_RESULT.get(event["result"], "failed"),
        "seconds": event.get("seconds", 0),
        "text": f"{event['result']}, {event['cases']} cases",
    }


def of_figure(line):
    """The same for a record of cuda_speed (bench/record/record.schema.json), or of a comparison with it."""
    if not line.startswith("{"):
        return None
    record = json.loads(line)
    if record["error"]:
        text = record["error"].removeprefix("not run: ")
        return {"name": record["name"], "result": "not run", "seconds": 0, "text": text}
    said = [f"{record['value']:.4g} {record['unit']}"]
    bound, goal = record["bound"], record["case"].get("goal")
    said += [f"{record['value'] / bound['value']:.3f} of {bound['name']}"] if bound else []
    said += [f"goal {goal}"] if goal else []
    return {
        "name": record["name"],
        "result": "measured",
        "seconds": record["case"]["seconds"],
        "text": ", ".join(said),
        "figure": record,
    }


@dataclass(frozen=True)
class Section:
    """`command`: {programs} is the folder with bin/, lib/ and share/, {out} one of the section's own. After `seconds`
    it is ended, and has failed. `refusal`: a last line with exit code 2 that tells what this machine lacks; any other
    exit code 2 is a mistake in the command.
    """

    name: str
    title: str
    seconds: int
    command: tuple
    read: Callable = of_gtest
    results_in: str = "{out}/output.log"  # which file of its tells results
    tool: str = ""  # of the CUDA toolkit, without which it is not run
    refusal: str = ""  # a pattern whose first group is the reason


def sanitizer(name, title, seconds):
    """Checks kernels; that a call of CUDA refuses, as it does at the end of memory, is for the tests to judge."""
    silent = ("--report-api-errors", "no") if name == "memcheck" else ()
    command = ("compute-sanitizer", "--tool", name, *silent, "--error-exitcode", "1", "{programs}/bin/cuda_device_test")
    return Section(name, title, seconds, command, tool="compute-sanitizer")


def nccl(ranks, title):
    return Section(f"nccl-{ranks}", title, 150, ("{programs}/bin/nccl_gpu_test", f"--gtest_filter=Ranks/*/{ranks}"))


# What a subject says of this machine, and what a Python lacks for a framework.
REFUSAL = r"(?:expected what .* can have with \d+ ranks .*; it says: |subject \S+: (?=--(?:python|device)\b))(.*)"


def check(name, title, subject, seconds, *arguments, ranks="1,2,3,4"):
    """zerocts check on the GPU; 40 seconds are for the case at its end."""
    options = f"--subject {subject} --device cuda --ranks {ranks} --tier smoke --time-budget {seconds - 40}s".split()
    command = ("{programs}/bin/zerocts", "check", *options, *arguments, "--out", "{out}/check")
    return Section(name, title, seconds, command, of_event, "{out}/check/results.ndjson", refusal=REFUSAL)


def framework(subject, ranks):
    """With this Python's torch and NCCL; the ranks share a GPU where there are fewer."""
    options = ("--python", sys.executable, "--option", "nccl_share_gpu=on")
    return check(subject, f"zerocts check of {subject} on NCCL", subject, 300, *options, ranks=ranks)


FRAMEWORKS = {  # and the numbers of ranks that they take
    "torch-zero1": "1,2,3,4",
    "torch-fsdp2": "1,2,3,4",
    "torch-tp": "2,3,4",
    "torch-tp-fsdp2": "2,4",
    "deepspeed-1": "1,2,3,4",
    "deepspeed-2": "1,2,3,4",
    "deepspeed-3": "1,2,3,4",
    "fairscale-oss": "1,2,3,4",
    "fairscale-sharded-ddp": "1,2,3,4",
}

SECTIONS = [  # ten minutes are enough for the first three
    Section("kernels", "every kernel against the host", 120, ("{programs}/bin/cuda_device_test",)),
    Section(
        "engine",
        "stages 0 to 3 trained on text, ranks as threads that share a GPU, against the reference",
        180,
        ("{programs}/bin/training_on_text_test", "--device", "cuda", "--steps", "20"),
    ),
    check("check", "zerocts check of the engine on the GPU", "native", 240, "--launcher", "threads"),
    nccl(1, "NCCL, one rank"),
    nccl(2, "NCCL, two ranks on one GPU; the order of its ring"),
    nccl(3, "NCCL, three ranks on one GPU"),
    nccl(4, "NCCL, four ranks on one GPU"),
    check(
        "check-nccl",
        "zerocts check of the engine over NCCL, ranks as processes that share a GPU",
        "native",
        300,
        *"--launcher local --option comm=nccl --option nccl_share_gpu=on".split(),
    ),
    Section(
        "offload",
        "stages 0 to 3, every optimizer and offload, against the host",
        180,
        ("{programs}/bin/cuda_engine_test",),
    ),
    Section(
        "fast",
        "matrix products by cuBLAS: the bits of W ranks are those of one",
        120,
        ("{programs}/bin/cuda_fast_math_test",),
    ),
    Section(
        "speed",
        "memory, products, stages and training, each beside a bound",
        400,
        ("{programs}/bin/cuda_speed",),
        of_figure,
    ),
    Section(
        "torch",
        "training by products of cuBLAS against PyTorch in bf16, in turns",
        300,
        (sys.executable, f"{BENCH}/frameworks/gpu_training_against_torch.py", "{programs}/bin/cuda_speed"),
        of_figure,
    ),
    *[framework(subject, ranks) for subject, ranks in FRAMEWORKS.items()],
    sanitizer("memcheck", "compute-sanitizer memcheck of every kernel", 400),
    sanitizer("racecheck", "compute-sanitizer racecheck of every kernel", 500),
]
