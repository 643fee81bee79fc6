"""Headers of safetensors that lie, alone, sharded and behind an index."""

import json
import struct

from hostile import CASES, case


def safetensors(folder, header, data=b"", length=None, name="x.safetensors"):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    (folder / name).write_bytes(struct.pack("<Q", len(text) if length is None else length) + text + data)
    return folder / name


def entry(shape, begin, end, dtype="F32"):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def index_of(folder, file):
    path = folder / "model.safetensors.index.json"
    path.write_text(json.dumps({"weight_map": {"a": file}}))
    return path


def shard(folder, info, name="shard-00001-model-00001-of-00001.safetensors"):
    safetensors(folder, {"__metadata__": {"DCP_SHARDING_INFO": info}, "a": entry([4], 0, 16)}, b"\0" * 16, name=name)
    return folder


CASES |= {
    "safetensors_header_of_2_63_bytes": (
        "a header of 9223372036854775808 bytes",
        lambda f: safetensors(f, {}, length=2**63),
    ),
    "safetensors_header_of_2_64_bytes": (
        "a header of 18446744073709551615 bytes",
        lambda f: safetensors(f, {}, length=2**64 - 1),
    ),
    "safetensors_header_of_17_mb": ("expected at most 16777216", lambda f: safetensors(f, b" " * (17 << 20))),
    "safetensors_with_many_values": (
        "expected the header as a dict, got a list",
        lambda f: safetensors(f, b"[" + b"0," * 8_000_000 + b"0]"),
    ),
    "safetensors_with_a_thousand_levels": (
        "expected JSON of fewer arrays and objects inside of each other",
        lambda f: safetensors(f, b"[" * 1000),
    ),
    "safetensors_that_overlap": (
        "expected 16, where the one before it ends",
        lambda f: safetensors(f, {"a": entry([4], 0, 16), "b": entry([4], 8, 24)}, b"\0" * 24),
    ),
    "safetensors_with_a_gap": (
        "expected 16, where the one before it ends",
        lambda f: safetensors(f, {"a": entry([4], 0, 16), "b": entry([4], 20, 36)}, b"\0" * 36),
    ),
    "safetensors_of_2_80_elements": (
        "more than 2^56 elements",
        lambda f: safetensors(f, {"a": entry([2**40, 2**40], 0, 0)}),
    ),
    "safetensors_with_a_negative_size": (
        "expected shape as a size of 0 or more, got -4",
        lambda f: safetensors(f, {"a": entry([-4], 0, 16)}, b"\0" * 16),
    ),
    "safetensors_of_an_unknown_dtype": (
        "expected one of fp64",
        lambda f: safetensors(f, {"a": entry([4], 0, 16, "F31")}, b"\0" * 16),
    ),
    "safetensors_with_negative_offsets": ("begins at byte -16", lambda f: safetensors(f, {"a": entry([4], -16, 0)})),
    "safetensors_index_of_a_file_above": ("a file beside the index", lambda f: index_of(f, "../../x.safetensors")),
    "safetensors_index_of_an_absolute_file": ("a file beside the index", lambda f: index_of(f, "/etc/passwd")),
    "shard_with_places_that_are_no_json": ("line 1", lambda f: shard(f, "__import__('os').system('true')")),
    "shard_with_a_negative_offset": (
        "expected saved_offsets of a as a size of 0 or more, got -1",
        lambda f: shard(f, json.dumps({"a": {"saved_offsets": [-1]}})),
    ),
    "shard_with_an_offset_of_2_62": (
        "more than 2^56 elements",
        lambda f: shard(f, json.dumps({"a": {"saved_offsets": [2**62]}})),
    ),
    "shard_of_number_2_30": (
        "expected the number of a shard from 1",
        lambda f: shard(f, "{}", name="shard-1073741824-model.safetensors"),
    ),
}


@case
def safetensors_with_many_keys(folder):
    """expected it as a dict, got an integer"""
    keys = ",".join(f'"a long enough name {i}":0' for i in range(490_000))
    return safetensors(folder, ("{" + keys + "}").encode())


@case
def safetensors_with_a_name_twice(folder):
    """twice"""
    one = b'"a": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}'
    return safetensors(folder, b"{" + one + b", " + one + b"}", b"\0" * 16)
