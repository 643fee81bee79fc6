"""Headers of safetensors that lie, alone, sharded and behind an index."""

import json
import struct

from hostile import case


def safetensors(folder, header, data=b"", length=None, name="x.safetensors"):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    (folder / name).write_bytes(struct.pack("<Q", len(text) if length is None else length) + text + data)
    return folder / name


def entry(shape, begin, end, dtype="F32"):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


@case
def safetensors_header_of_2_63_bytes(folder):
    """a header of 9223372036854775808 bytes"""
    return safetensors(folder, {}, length=2**63)


@case
def safetensors_header_of_2_64_bytes(folder):
    """a header of 18446744073709551615 bytes"""
    return safetensors(folder, {}, length=2**64 - 1)


@case
def safetensors_header_of_17_mb(folder):
    """expected at most 16777216"""
    return safetensors(folder, b" " * (17 << 20))


@case
def safetensors_with_many_values(folder):
    """expected the header as a dict, got a list"""
    return safetensors(folder, b"[" + b"0," * 8_000_000 + b"0]")


@case
def safetensors_with_many_keys(folder):
    """expected it as a dict, got an integer"""
    keys = ",".join(f'"a long enough name {i}":0' for i in range(490_000))
    return safetensors(folder, ("{" + keys + "}").encode())


@case
def safetensors_with_a_thousand_levels(folder):
    """expected JSON of fewer arrays and objects inside of each other"""
    return safetensors(folder, b"[" * 1000)


@case
def safetensors_that_overlap(folder):
    """expected 16, where the one before it ends"""
    return safetensors(folder, {"a": entry([4], 0, 16), "b": entry([4], 8, 24)}, b"\0" * 24)


@case
def safetensors_with_a_gap(folder):
    """expected 16, where the one before it ends"""
    return safetensors(folder, {"a": entry([4], 0, 16), "b": entry([4], 20, 36)}, b"\0" * 36)


@case
def safetensors_with_a_name_twice(folder):
    """twice"""
    one = b'"a": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}'
    return safetensors(folder, b"{" + one + b", " + one + b"}", b"\0" * 16)


@case
def safetensors_of_2_80_elements(folder):
    """more than 2^56 elements"""
    return safetensors(folder, {"a": entry([2**40, 2**40], 0, 0)})


@case
def safetensors_with_a_negative_size(folder):
    """expected shape as a size of 0 or more, got -4"""
    return safetensors(folder, {"a": entry([-4], 0, 16)}, b"\0" * 16)


@case
def safetensors_of_an_unknown_dtype(folder):
    """expected one of fp64"""
    return safetensors(folder, {"a": entry([4], 0, 16, "F31")}, b"\0" * 16)


@case
def safetensors_with_negative_offsets(folder):
    """begins at byte -16"""
    return safetensors(folder, {"a": entry([4], -16, 0)})


@case
def safetensors_index_of_a_file_above(folder):
    """a file beside the index"""
    path = folder / "model.safetensors.index.json"
    path.write_text(json.dumps({"weight_map": {"a": "../../x.safetensors"}}))
    return path


@case
def safetensors_index_of_an_absolute_file(folder):
    """a file beside the index"""
    path = folder / "model.safetensors.index.json"
    path.write_text(json.dumps({"weight_map": {"a": "/etc/passwd"}}))
    return path


def shard(folder, info, name="shard-00001-model-00001-of-00001.safetensors"):
    safetensors(folder, {"__metadata__": {"DCP_SHARDING_INFO": info}, "a": entry([4], 0, 16)}, b"\0" * 16, name=name)
    return folder


@case
def shard_with_places_that_are_no_json(folder):
    """line 1"""
    return shard(folder, "__import__('os').system('true')")


@case
def shard_with_a_negative_offset(folder):
    """expected saved_offsets of a as a size of 0 or more, got -1"""
    return shard(folder, json.dumps({"a": {"saved_offsets": [-1]}}))


@case
def shard_with_an_offset_of_2_62(folder):
    """more than 2^56 elements"""
    return shard(folder, json.dumps({"a": {"saved_offsets": [2**62]}}))


@case
def shard_of_number_2_30(folder):
    """expected the number of a shard from 1"""
    return shard(folder, "{}", name="shard-1073741824-model.safetensors")
