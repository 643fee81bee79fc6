#!/usr/bin/env python3
"""Files that are changed at random are read, found faulty or refused, and nothing else happens: no exception of another
kind, no signal, within the limits of a reader. A sample goes through the whole command.

usage: mutation_test.py ZEROCTS [--files N] [--seed S] [--only N]     --only: that one of the seed's files
"""

import argparse
import importlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
import zipfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "formats"))

import formats  # noqa: E402
import limits  # noqa: E402
import pickles  # noqa: E402
from hostile import dcp  # noqa: E402
from hostile.safetensors_files import entry, safetensors, shard  # noqa: E402
from hostile.tensors_of_deepspeed import optimizer_file  # noqa: E402
from reading import Refused  # noqa: E402

FILES_OF_A_PROCESS, FILES_OF_A_COMMAND, COMMAND_SECONDS = 1000, 100, 300
NUMBERS = [2**n + d for n in (0, 8, 15, 16, 31, 32, 53, 62, 63, 64) for d in (-1, 0, 1)]
TOKENS = [b"null", b"-1", b"1e999", b"NaN", b'""', b"[]", b"{}", b"true", *(str(n).encode() for n in NUMBERS)]
TMPFS = "/dev/shm"


@dataclass
class Target:
    """A part of a sound checkpoint, and how it becomes a file again."""

    checkpoint: Path
    file: Path
    content: bytes
    write: object = staticmethod(lambda file, content: file.write_bytes(content))


def write_sound_checkpoints(folder):
    for name in ("dcp", "deepspeed", "universal/zero/w", "whole", "sharded"):
        (folder / name).mkdir(parents=True)
    storage, tensor = {"0": b"\0" * 16}, pickles.Tensor((4,))
    pickles.torch_save(folder / "dcp/__0_0.distcp", tensor, storage)
    places = [("w", (0,), "__0_0.distcp", 0, (folder / "dcp/__0_0.distcp").stat().st_size)]
    dcp(folder / "dcp", pickles.dcp_metadata({"w": pickles.dcp_tensor((4,), ((0,), (4,)))}, places))
    optimizer_file(folder / "deepspeed", tensor, storage)
    model = {"param_shapes": [{"w": pickles.size(4)}], "dp_world_size": 1, "ds_config": {"zero_optimization": {}}}
    for name in ("deepspeed", "universal"):
        pickles.torch_save(folder / name / "mp_rank_00_model_states.pt", model)
    pickles.torch_save(folder / "universal/zero/w/fp32.pt", {"param": tensor}, storage)
    safetensors(folder / "whole", {f"w{i}": entry([4], 16 * i, 16 * i + 16) for i in range(8)}, b"\0" * 128)
    (folder / "whole/model.safetensors.index.json").write_text(
        '{"weight_map": {%s}}' % ", ".join(f'"w{i}": "x.safetensors"' for i in range(8))
    )
    shard(folder / "sharded", '{"a": {"saved_offsets": [0]}}')
    for fixture in ("ocdbt_2x2", "zarr_3x2"):
        shutil.copytree(HERE / "testdata/orbax" / fixture, folder / fixture)


def targets(folder):
    """Every file, and what stands inside of one that a checksum or a length guards."""
    for file in sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size):
        checkpoint, content = folder / file.relative_to(folder).parts[0], file.read_bytes()
        yield Target(checkpoint, file, content)
        if zipfile.is_zipfile(file):
            with zipfile.ZipFile(file) as archive:
                inside = archive.read("archive/data.pkl")
            yield Target(
                checkpoint, file, inside, lambda f, data: pickles.torch_save(f, None, {"0": b"\0" * 16}, data=data)
            )
        if file.suffix == ".safetensors":
            end = 8 + int.from_bytes(content[:8], "little")
            yield Target(
                *(checkpoint, file, content[8:end]),
                lambda f, header, data=content[end:]: safetensors(f.parent, header, data, name=f.name),
            )


def mutated(draw, content):
    data = bytearray(content)
    for _ in range(draw.choice((1, 1, 2, 4))):
        at = draw.randrange(len(data) + 1)
        end = min(at + draw.choice((1, 1, 2, 4, 8, 32)), len(data))
        numbers = [found.span() for found in re.finditer(rb"-?[0-9]+", data)]
        change = draw.randrange(7)
        if change == 0 and at < len(data):
            data[at] ^= 1 << draw.randrange(8)
        elif change == 1:
            data[at:end] = b""
        elif change == 2:
            data[at:at] = data[at:end]
        elif change == 3:
            data[at:end] = draw.randbytes(end - at)
        elif change == 4:
            data[at:end] = (draw.choice(NUMBERS) % 2**64).to_bytes(8, "little")[: end - at]
        elif change == 5 and numbers:
            begin, end = draw.choice(numbers)
            data[begin:end] = draw.choice(TOKENS)
        else:
            other = draw.randrange(len(data) + 1)
            data[at:end] = data[other : other + end - at]
    return bytes(data)


def problem_of_reading(path):
    try:
        module, function, place = formats.recognized(str(path))
        getattr(importlib.import_module(module), function)(place)
    except (Refused, MemoryError, OSError):
        return None
    except Exception:
        return traceback.format_exc(limit=-2)
    return None


def problem_of_command(zerocts, path):
    command = [zerocts, "plan", "read", "--json", str(path)]
    ended = subprocess.run(
        command, capture_output=True, text=True, errors="replace", timeout=COMMAND_SECONDS, check=False
    )
    if ended.returncode in (0, 1):
        right = not ended.stderr and json.loads(ended.stdout)["sound"] == (ended.returncode == 0)
    else:
        right = ended.returncode == 2 and ended.stderr.count("\n") == 1
    return None if right else f"exit code {ended.returncode}: {ended.stderr[:1000]}"


def judge(zerocts, seed, numbers, folder):
    """Numbers of files that were wrong; what was, is printed."""
    write_sound_checkpoints(folder)
    sound = list(targets(folder))
    for number in numbers:
        draw = random.Random(f"{seed}/{number}")
        target = draw.choice(sound)
        whole = target.file.read_bytes()
        target.write(target.file, mutated(draw, target.content))
        problem = problem_of_reading(target.checkpoint)
        if not problem and number % FILES_OF_A_COMMAND == 0:
            problem = problem_of_command(zerocts, target.checkpoint)
        if problem:
            name = target.file.relative_to(folder)
            print(f"--seed {seed} --only {number}: {name}: {problem}", file=sys.stderr, flush=True)
            yield number
        target.file.write_bytes(whole)


def judge_in_a_process(zerocts, seed, numbers):
    """As a reader runs: with its limits, in a process that a signal may end."""
    child = os.fork()
    if child == 0:
        with tempfile.TemporaryDirectory(dir=TMPFS if os.access(TMPFS, os.W_OK) else None) as folder:
            limits.confine()
            problems = len(list(judge(zerocts, seed, numbers, Path(folder))))
        os._exit(1 if problems else 0)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if ended not in (0, 1):
        print(f"--seed {seed}, files {numbers}: ended with {ended}", file=sys.stderr, flush=True)
    return ended == 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("zerocts")
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    parser.add_argument("--only", type=int)
    arguments = parser.parse_args()
    zerocts = os.path.abspath(arguments.zerocts)
    print(f"--seed {arguments.seed} --files {arguments.files}", flush=True)
    numbers = range(arguments.files) if arguments.only is None else range(arguments.only, arguments.only + 1)
    parts = [numbers[begin : begin + FILES_OF_A_PROCESS] for begin in range(0, len(numbers), FILES_OF_A_PROCESS)]
    good = [judge_in_a_process(zerocts, arguments.seed, part) for part in parts]
    print(f"{len(numbers)} files, {good.count(False)} of {len(good)} processes with problems")
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
