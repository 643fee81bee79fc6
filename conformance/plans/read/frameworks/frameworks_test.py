#!/usr/bin/env python3
"""Reads checkpoints that torch, DeepSpeed, Megatron and jax write here and now, whole and after damage.

usage: frameworks_test.py ZEROCTS [--ranks 2,3] [--kinds dcp,..] [--foreign] [--table]
--foreign: also a file of another run, and of another step; --table: the table of README.md
exit 77: a framework cannot be had
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "adapters"))

from available import python_or_skip  # noqa: E402

WRITE_SECONDS, READ_SECONDS = 600, 60

# What each kind's reader is expected to find; what it cannot, and why, says README.md.
FOUND = {
    "dcp": {"cut": True, "dropped": True, "dropped last": True, "swapped": True, "foreign": False, "later": False},
    "dcp-hf": {"cut": True, "dropped": True, "dropped last": False, "swapped": False, "foreign": False},
    "deepspeed-1": {
        "cut": True,
        "dropped": True,
        "dropped last": True,
        "swapped": True,
        "foreign": False,
        "later": True,
    },
    "deepspeed-2": {
        "cut": True,
        "dropped": True,
        "dropped last": True,
        "swapped": True,
        "foreign": False,
        "later": True,
    },
    "deepspeed-3": {
        "cut": True,
        "dropped": True,
        "dropped last": True,
        "swapped": False,
        "foreign": False,
        "later": True,
    },
    "universal": {"cut": True, "dropped": True, "dropped last": True, "swapped": True, "foreign": False},
    "megatron": {"cut": True, "dropped": True, "dropped last": True, "swapped": True, "foreign": False},
    "orbax": {"cut": False, "dropped": False, "dropped last": False, "swapped": False, "foreign": False},
    "orbax-manifests": {"cut": True, "dropped": True, "dropped last": True, "swapped": False, "foreign": False},
    "orbax-shapes": {"cut": True, "dropped": True, "dropped last": True, "swapped": False},
    "orbax-zarr": {"cut": False, "dropped": True, "dropped last": True, "swapped": False, "foreign": False},
    "orbax-zarr3": {"cut": False, "dropped": True, "dropped last": True, "swapped": False, "foreign": False},
}
SHARDS = {
    "universal": "fp32.pt",
    "dcp": "__*.distcp",
    "dcp-hf": "shard-*.safetensors",
    "megatron": "__*.distcp",
    "orbax": "ocdbt.process_*/d/*",
    "orbax-manifests": "ocdbt.process_*/manifest.ocdbt",
    "orbax-shapes": "array_metadatas/process_*",
    "orbax-zarr": "layer.w/[0-9]*",
    "orbax-zarr3": "layer.w/c/*/*",
}  # of DeepSpeed *_optim_states.pt
WRITTEN_AS = {"orbax-manifests": "orbax", "orbax-shapes": "orbax"}
FRAMEWORKS = {"megatron": "megatron", "orbax": "orbax", "orbax-zarr": "orbax", "orbax-zarr3": "orbax"}  # else deepspeed
# What the plan must have: write_checkpoint.py's model, or what the other writers save. A half of layer.v was written by
# each replica, and orbax's JSON does not say so.
ELEMENTS = {"megatron": lambda ranks: 37 + 6 * ranks, "orbax": lambda _: 85, "orbax-zarr": lambda _: 91}
ELEMENTS["orbax-zarr3"] = ELEMENTS["orbax-zarr"]
OF_THE_MODEL = 70


def written_as(kind):
    return WRITTEN_AS.get(kind, kind)


class Checkpoints:
    """One per kind, ranks and seed, written when first asked for."""

    def __init__(self, kinds, folder):
        frameworks = {FRAMEWORKS.get(written_as(kind), "deepspeed") for kind in kinds}
        self.pythons = {framework: python_or_skip(framework) for framework in sorted(frameworks)}
        self.folder = Path(folder)

    def get(self, kind, ranks, seed=1, steps=1):
        kind = written_as(kind)
        framework = FRAMEWORKS.get(kind, "deepspeed")
        place = self.folder / f"{kind}-{ranks}-{seed}-{steps}"
        if not place.exists():
            command = [
                self.pythons[framework],
                str(HERE / ("write_orbax.py" if framework == "orbax" else "write_checkpoint.py")),
                kind,
                str(place),
                str(ranks),
                "--seed",
                str(seed),
                *(("--steps", str(steps)) if steps > 1 else ()),
            ]
            written = subprocess.run(command, capture_output=True, text=True, timeout=WRITE_SECONDS, check=False)
            if written.returncode != 0:
                sys.exit(
                    f"{kind} on {ranks} ranks was not written:\n{written.stdout[-2000:]}\n{written.stderr[-4000:]}"
                )
        return place


def shards(kind, folder):
    return sorted(folder.rglob(SHARDS.get(kind, "*_optim_states.pt")))


def cut(kind, folder, _):
    last = shards(kind, folder)[-1]
    os.truncate(last, last.stat().st_size // 2)


def drop(kind, folder, _):
    shards(kind, folder)[0].unlink()


def drop_last(kind, folder, _):
    shards(kind, folder)[-1].unlink()


def swap(kind, folder, _):
    first, second = shards(kind, folder)[:2]
    kept = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(kept)


def take_foreign(kind, folder, other):
    mine, others = shards(kind, folder)[1], shards(kind, other)[1]
    if mine.read_bytes() == others.read_bytes():
        sys.exit(f"{kind}: two runs wrote the same file, so nothing would be foreign")
    shutil.copy(others, mine)


DAMAGES = {
    "cut": cut,
    "dropped": drop,
    "dropped last": drop_last,
    "swapped": swap,
    "foreign": take_foreign,
    "later": take_foreign,
}
OF_OTHERS = {"foreign": {"seed": 2}, "later": {"steps": 2}}  # whose file another takes the place of


class Reader:
    def __init__(self, zerocts):
        self.zerocts = zerocts

    def __call__(self, folder, *options):
        command = [self.zerocts, "plan", "read", str(folder), *options]
        return subprocess.run(command, capture_output=True, text=True, timeout=READ_SECONDS, check=False)


def problem_of_whole(read, kind, ranks, folder, temporary):
    """What is wrong with how an undamaged checkpoint was read, or None."""
    out = Path(temporary) / "plan.json"
    ended = read(folder, "--out", str(out))
    if ended.returncode != 0 or "sound" not in ended.stdout:
        return f"exit code {ended.returncode}: expected 0 and 'sound'; {ended.stdout[:600]}{ended.stderr[:600]}"
    again = read(folder, "--json")
    if not json.loads(again.stdout)["sound"]:
        return "--json says that it is not sound"
    verified = subprocess.run([read.zerocts, "plan", "verify", str(out)], capture_output=True, text=True, check=False)
    if verified.returncode != 0:
        return f"plan verify of the plan that was read: {verified.stdout}{verified.stderr}"
    elements = ELEMENTS.get(written_as(kind), lambda _: OF_THE_MODEL)(ranks)
    if f" {elements} elements" not in verified.stdout and kind != "dcp":
        return f"expected {elements} elements: {verified.stdout}"
    return None


def judge_damage(read, kind, damage, folder, other, temporary):
    copy = Path(temporary) / "damaged"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy)
    DAMAGES[damage](kind, copy, other)
    return read(copy)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("zerocts")
    parser.add_argument("--ranks", default="2,3")
    parser.add_argument("--kinds", default=",".join(FOUND))
    parser.add_argument("--foreign", action="store_true")
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    problems, checks = [], 0
    read = Reader(os.path.abspath(arguments.zerocts))
    with tempfile.TemporaryDirectory() as temporary:
        kinds = arguments.kinds.split(",")
        checkpoints = Checkpoints(kinds, temporary)
        for kind in kinds:
            for ranks in map(int, arguments.ranks.split(",")):
                whole = checkpoints.get(kind, ranks)
                problem = problem_of_whole(read, kind, ranks, whole, temporary)
                checks += 1
                if problem:
                    problems.append(f"{kind} on {ranks} ranks: {problem}")
                for damage, found in FOUND[kind].items():
                    if damage in OF_OTHERS and not arguments.foreign:
                        continue
                    other = checkpoints.get(kind, ranks, **OF_OTHERS[damage]) if damage in OF_OTHERS else None
                    ended = judge_damage(read, kind, damage, whole, other, temporary)
                    checks += 1
                    said = (ended.stderr or ended.stdout).strip().replace(temporary, "")
                    if arguments.table:
                        lines = " / ".join(said.splitlines()[:3])[:200]
                        print(f"| {kind} | {ranks} | {damage} | {ended.returncode} | {lines} |", flush=True)
                    if ended.returncode not in (0, 1, 2) or (ended.returncode != 0) != found:
                        problems.append(f"{kind} on {ranks} ranks, {damage}: exit {ended.returncode}; {said[:500]}")
    print(f"{checks} checks, {len(problems)} problems")
    print("\n".join(problems))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
