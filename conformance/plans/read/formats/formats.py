"""Which format a checkpoint has, by the names of its files."""

import os
import re

import files
from reading import Refused

MOST_BYTES_OF_LATEST = 4096
RANK_FILE = re.compile(r"(?:bf16_)?zero_pp_rank_([0-9]{1,9})_mp_rank_([0-9]{1,9})_optim_states\.pt")
INDEX = "model.safetensors.index.json"


def _has(name):
    return lambda folder, names: name in names


def _any(is_it):
    return lambda folder, names: any(map(is_it, names))


def _has_zero(folder, names):
    return "zero" in names and os.path.isdir(os.path.join(folder, "zero"))


def _is_shard(name):
    return name.startswith("shard-") and name.endswith(".safetensors")


def _is_orbax(folder, names):
    return "_METADATA" in names or "_CHECKPOINT_METADATA" in names


FORMATS = [  # what a sentence says, how it is known, and who reads it
    (".metadata of torch DCP", _has(".metadata"), ("torch_dcp", "read")),
    ("zero_pp_rank_*_optim_states.pt of DeepSpeed", _any(RANK_FILE.fullmatch), ("deepspeed_stages", "read")),
    ("zero/*/fp32.pt of DeepSpeed, universal", _has_zero, ("deepspeed_universal", "read")),
    ("shard-*.safetensors of torch DCP", _any(_is_shard), ("safetensors_files", "read_shards")),
    ("_METADATA of orbax", _is_orbax, ("orbax_arrays", "read")),
    (f"{INDEX} of Hugging Face", _has(INDEX), ("safetensors_files", "read_index_in")),
]
NAMES = ", ".join(["latest of zerocts", *(name for name, _, _ in FORMATS)])


def _in_folder(folder, may_follow=True):
    names = set(files.names_in(folder))
    fitting = [(name, reader) for name, is_it, reader in FORMATS if is_it(folder, names)]
    if len(fitting) > 1:
        raise Refused(f"it has both {fitting[0][0]} and {fitting[1][0]}: expected a checkpoint of one format")
    if fitting:
        return (*fitting[0][1], folder)
    if may_follow and "latest" in names:  # of DeepSpeed, which names a folder beside it
        latest = files.content_of(os.path.join(folder, "latest"), MOST_BYTES_OF_LATEST)
        name = latest.decode("utf-8", "surrogateescape").rstrip("\n ")
        return _in_folder(os.path.join(folder, files.plain_name(name, "latest")), may_follow=False)
    raise Refused(f"expected a checkpoint with one of: {NAMES}")


def recognized(path):
    """(module, function, what that reads)"""
    if os.path.isdir(path):
        return _in_folder(path)
    files.bytes_of(path)  # refuses what is no file
    if path.endswith(".safetensors"):
        return "safetensors_files", "read_one", path
    if path.endswith(".index.json"):
        return "safetensors_files", "read_index", path
    name = os.path.basename(path)
    if name in (".metadata", "_METADATA", "latest") or RANK_FILE.fullmatch(name):
        return _in_folder(os.path.dirname(path) or ".")
    raise Refused(f"expected a folder, or a file that is one of: {NAMES}, *.safetensors, *.index.json")
