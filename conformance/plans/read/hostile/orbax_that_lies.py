"""Meshes, specs, names and shapes of orbax that cannot be, or that ask for more room than anybody has."""

import base64
import json

from hostile import CASES, case

ONE = {"sharding_type": "NamedSharding", "shape": [2], "axis_names": ["x"], "partition_spec": ["x"]}


def orbax(folder, shardings=None, write=(4,), ocdbt=True, tree=None):
    """A checkpoint whose arrays are those of `shardings`."""
    shardings = {"w": ONE} if shardings is None else shardings
    leaves = {
        f"('{name}',)": {
            "key_metadata": [{"key": name, "key_type": 2}],
            "value_metadata": {"value_type": "jax.Array", "skip_deserialize": False, "write_shape": list(write)},
        }
        for name in shardings
    }
    whole = {"tree_metadata": leaves, "use_ocdbt": ocdbt}
    (folder / "_METADATA").write_text(json.dumps(whole) if tree is None else tree)
    encoded = {base64.b64encode(name.encode()).decode(): json.dumps(value) for name, value in shardings.items()}
    (folder / "_sharding").write_text(json.dumps(encoded))
    arrays = [
        {"array_metadata": {"param_name": name, "write_shape": list(write), "chunk_shape": list(write)}}
        for name in shardings
    ]
    (folder / "array_metadatas").mkdir()
    (folder / "array_metadatas" / "process_0").write_text(json.dumps({"array_metadatas": arrays}))
    return folder


def zarr(folder, text):
    orbax(folder, ocdbt=False)
    (folder / "w").mkdir()
    (folder / "w" / ".zarray").write_text(text)
    return folder


CASES |= {
    "orbax_with_a_mesh_of_2_40_devices": (
        "the mesh has more than 2^24 ranks",
        lambda f: orbax(f, {"w": {**ONE, "shape": [2**20, 2**20], "axis_names": ["x", "y"]}}),
    ),
    "orbax_with_an_axis_of_2_62": (
        "the mesh has more than 2^24 ranks",
        lambda f: orbax(f, {"w": {**ONE, "shape": [2**62]}}),
    ),
    "orbax_with_an_axis_of_no_devices": (
        "expected shape as a size of 1 or more, got 0",
        lambda f: orbax(f, {"w": {**ONE, "shape": [0]}}),
    ),
    "orbax_with_blocks_of_2_62": ("more than 2^56 elements", lambda f: orbax(f, write=(2**62,))),
    "orbax_of_2_60_elements": ("more than 2^56 elements", lambda f: orbax(f, write=(2**30, 2**29))),
    "orbax_with_a_deep_tree": (
        "expected JSON of fewer arrays and objects inside of each other",
        lambda f: orbax(f, tree='{"tree_metadata": ' * 1000),
    ),
    "orbax_with_a_mesh_of_fewer_devices": (
        "expected 2 entries along axis x",
        lambda f: orbax(f, {"w": {**ONE, "device_mesh": {"mesh": [{"id": 0}]}}}),
    ),
    "orbax_with_an_array_of_a_folder_above": (
        "expected the name of a file beside it",
        lambda f: orbax(f, {"../../x": ONE}, ocdbt=False),
    ),
    "orbax_with_2_60_chunks": (
        "more than 1048576 chunks",
        lambda f: zarr(f, json.dumps({"shape": [2**60], "chunks": [1], "dtype": "<f4"})),
    ),
    "orbax_with_chunks_of_nothing": (
        "expected chunks as a size of 1 or more, got 0",
        lambda f: zarr(f, json.dumps({"shape": [8], "chunks": [0], "dtype": "<f4"})),
    ),
}


@case
def orbax_with_a_million_blocks(folder):
    """more than 262144 blocks"""
    mesh = {**ONE, "shape": [1024, 1024], "axis_names": ["x", "y"], "partition_spec": ["x", "y"]}
    return orbax(folder, {"w": mesh}, write=(1, 1))


@case
def orbax_with_a_million_holders_of_each_block(folder):
    """holders: refused"""
    divided = {**ONE, "shape": [2**16]}
    return orbax(folder, {"v": divided, "w": {**divided, "partition_spec": []}}, write=(1,))


@case
def orbax_with_names_that_are_no_base64(folder):
    """expected base64"""
    orbax(folder)
    (folder / "_sharding").write_text(json.dumps({"!!!!": "{}"}))
    return folder


@case
def orbax_with_a_name_of_control_characters(folder):
    """expected the base64 of a printable name"""
    orbax(folder)
    (folder / "_sharding").write_text(json.dumps({base64.b64encode(b"\x1b[2J").decode(): json.dumps(ONE)}))
    return folder


@case
def orbax_with_a_deep_mesh(folder):
    """expected JSON of fewer arrays and objects inside of each other"""
    deep = '{"device_mesh": {"mesh": ' + "[" * 100_000 + "]" * 100_000 + "}}"
    orbax(folder)
    (folder / "_sharding").write_text(json.dumps({"dw==": deep}))
    return folder


@case
def orbax_of_process_2_40(folder):
    """expected the number of a process below"""
    orbax(folder)
    (folder / "array_metadatas" / f"process_{2**40}").write_text("{}")
    return folder
