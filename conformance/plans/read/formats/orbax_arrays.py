"""Orbax, as jax saves by StandardCheckpointer and PyTreeCheckpointer. Its JSON says how arrays were divided; where they
lie in its data base (OCDBT) no JSON says, in folders of zarr the names of files do.
"""

import os
import re
import struct
from dataclasses import dataclass

import files
import zarr_array
from orbax_sharding import Shapes, Shards, shardings_from
from reading import Reading, Refused, naming
from stored_tensors import set_plan
from values import boolean, items, member, name, pairs, sizes, text

MOST_PROCESSES, MOST_FAULTS = 2**20, 1000
MANIFEST = b"\x0c\xdb\x3a\x2a"  # of OCDBT; the length of the file follows


@dataclass
class Leaf:
    """A leaf of the tree that was saved."""

    name: str  # its keys, with points between: the name in the other files
    type: str  # "jax.Array", "np.ndarray", "scalar", "string", "None", ..
    is_stored: bool
    write_shape: list  # None: older releases do not say it here


def _leaf_from(value):
    keys = items(member(value, "key_metadata", "a leaf"), "key_metadata")
    leaf = name(".".join(text(member(key, "key", "key_metadata"), "key") for key in keys), "key_metadata")
    what = pairs(member(value, "value_metadata", leaf), leaf)
    is_left_out = boolean(member(what, "skip_deserialize", leaf), "skip_deserialize")
    shape = what.get("write_shape")
    shape = None if shape is None else sizes(shape, "write_shape", least=1)
    return Leaf(leaf, text(member(what, "value_type", leaf), "value_type"), not is_left_out, shape)


class Tree:
    """_METADATA"""

    def __init__(self, value):
        leaves = pairs(member(value, "tree_metadata", "it"), "tree_metadata").values()
        self.leaves = sorted(map(_leaf_from, leaves), key=lambda leaf: leaf.name)
        for before, leaf in zip(self.leaves, self.leaves[1:]):
            if before.name == leaf.name:
                raise Refused(f"it has {leaf.name} twice")
        self.is_ocdbt = boolean(value.get("use_ocdbt", True), "use_ocdbt")  # one data base; else a folder per array
        self.is_zarr3 = boolean(value.get("use_zarr3", False), "use_zarr3")
        key = "store_array_data_equal_to_fill_value"
        self.stores_all_chunks = boolean(value.get(key, True), key)  # else those of zeros alone are left out


def _shapes_from(value):
    """Those in process_N, by the name of the array."""
    arrays = {}
    for entry in items(member(value, "array_metadatas", "it"), "array_metadatas"):
        array = member(entry, "array_metadata", "array_metadatas")
        param = name(member(array, "param_name", "array_metadata"), "param_name")
        write, chunk = (sizes(member(array, key, param), key, least=1) for key in ("write_shape", "chunk_shape"))
        if param in arrays:
            raise Refused(f"it has {param} twice")
        if len(write) != len(chunk):
            raise Refused(f"{param} is written by blocks of {write} and chunks of {chunk}: expected one shape each")
        arrays[param] = Shapes(write, chunk)
    return dict(sorted(arrays.items()))


def _numbers_in(folder, prefix):
    """3 of "process_3", where the prefix is "process_"."""
    numbers = []
    for file in files.names_in(folder) if os.path.isdir(folder) else []:
        if not file.startswith(prefix):
            continue
        digits = file.removeprefix(prefix)
        if not re.fullmatch("[0-9]{1,9}", digits) or int(digits) >= MOST_PROCESSES:
            raise Refused(f"{file}: expected the number of a process below {MOST_PROCESSES}")
        numbers.append(int(digits))
    return sorted(set(numbers))


def _problem_of_manifest(folder, file):
    """Nothing behind its first 12 bytes is looked at."""
    path = os.path.join(folder, file)
    if not os.path.isfile(path):
        return f"file {file} is missing"
    with open(path, "rb") as manifest:
        head = manifest.read(12)
    if len(head) < 12 or not head.startswith(MANIFEST):
        return f"file {file} is no manifest of OCDBT"
    (length,) = struct.unpack("<Q", head[4:])
    count = files.bytes_of(path)
    return None if count == length else f"file {file} has {count} bytes: expected {length}, as it says"


class OrbaxReader:
    def __init__(self, folder):
        self.folder, self.reading = folder, Reading()
        with naming("_METADATA"):
            self.tree = Tree(files.json_in(os.path.join(folder, "_METADATA")))
        with naming("_sharding"):  # which a tree without arrays of jax does not have
            path = os.path.join(folder, "_sharding")
            self.shardings = shardings_from(files.json_in(path)) if os.path.isfile(path) else {}
            self.shards = Shards(self.shardings)
        self.described = _numbers_in(os.path.join(folder, "array_metadatas"), "process_")
        self.wrote = _numbers_in(folder, "ocdbt.process_")  # a data base of their own
        self.last = max([*self.described, *self.wrote], default=-1)
        self.shapes = self.shapes_of_processes()
        self.with_replicas = self.chunks = 0
        self.all_write = False  # some array has a part on every device

    def read(self):
        tensors = []
        for leaf in self.tree.leaves:
            if leaf.type == "jax.Array":
                tensor = self.tensor_of(leaf)
                tensors += [tensor] if tensor else []
            elif not self.tree.is_ocdbt and leaf.is_stored and leaf.type != "string":
                self.judge_chunks(leaf.name, self.zarr_of(leaf.name))
        self.judge_names()
        if self.tree.is_ocdbt:
            self.judge_data_bases()
        set_plan(self.reading, "orbax", tensors, self.shards.mesh, self.shards.axes)
        kind = "OCDBT" if self.tree.is_ocdbt else "zarr 3" if self.tree.is_zarr3 else "zarr"
        mesh = " x ".join(f"{axis} {size}" for axis, size in self.shards.mesh.items())
        self.reading.format = (
            f"orbax, {kind}: {len(self.described)} processes, {f'mesh {mesh}' if mesh else 'no mesh'}, "
            f"{len(tensors)} arrays, {len(self.tree.leaves) - len(tensors)} other leaves"
        )
        self.say_what_is_untold()
        return self.reading

    def fault(self, sentence):
        self.reading.faults.append(sentence)

    def shapes_of_processes(self):
        """Which all describe alike."""
        shapes = None
        for process in self.described:
            file = f"array_metadatas/process_{process}"
            with naming(file):
                its_own = _shapes_from(files.json_in(os.path.join(self.folder, file)))
            shapes = its_own if shapes is None else shapes
            if its_own != shapes:
                self.fault(f"{file} has other arrays or shapes than that of process {self.described[0]}")
        self.judge_missing(self.described, "array_metadatas/process_")
        return shapes or {}

    def judge_missing(self, there, what):
        missing = [process for process in range(self.last + 1) if process not in set(there)][:MOST_FAULTS]
        for process in missing:
            self.fault(f"{what}{process} is missing: the last process is {self.last}")

    def tensor_of(self, leaf):
        """None, and a fault, where its files do not agree."""
        sharding, shapes = self.shardings.get(leaf.name), self.shapes.get(leaf.name)
        if not sharding or not shapes:
            lacking = "array_metadatas" if sharding else "_sharding"
            return self.fault(f"{leaf.name} is an array of jax, and {lacking} does not have it")
        if leaf.write_shape not in (None, shapes.write):
            return self.fault(
                f"{leaf.name} is written by blocks of {leaf.write_shape} in _METADATA, and of {shapes.write} in "
                "array_metadatas"
            )
        problem = shapes.problem(sharding)
        if problem:
            return self.fault(f"{leaf.name} {problem}")
        if not self.tree.is_ocdbt:
            return self.tensor_of_zarr(leaf.name, shapes, sharding)
        self.with_replicas += sharding.replicas() > 1 and bool(shapes.write)
        self.all_write |= sharding.mesh is not None and sharding.replicas() == 1
        return self.shards.tensor(leaf.name, shapes.least_shape(sharding), "fp32", sharding)

    def tensor_of_zarr(self, leaf, shapes, sharding):
        array = self.zarr_of(leaf)
        if not array:
            return None
        problem = shapes.problem_of_parts(array.shape, sharding)
        if problem:
            return self.fault(f"{leaf} has shape {array.shape} and {problem}")
        wanted = shapes.write if self.tree.is_zarr3 else shapes.chunk  # a file of zarr 3 has all chunks
        if array.chunk != wanted:
            return self.fault(f"{leaf} has files of {array.chunk}: expected {wanted} by array_metadatas")
        self.judge_chunks(leaf, array)
        return self.shards.tensor(leaf, array.shape, array.dtype, sharding)

    def zarr_of(self, leaf):
        """None, and a fault, where it is missing."""
        folder = os.path.join(self.folder, files.plain_name(leaf, "_METADATA"))
        if not os.path.isfile(os.path.join(folder, zarr_array.file_of(self.tree.is_zarr3))):
            return self.fault(f"the array in folder {leaf} is missing")
        with naming(leaf):
            return zarr_array.array_in(folder, self.tree.is_zarr3)

    def judge_chunks(self, leaf, array):
        """A file that is missing or empty is a fault."""
        if not array:
            return
        self.chunks += array.chunks
        if self.chunks > zarr_array.MOST_CHUNKS:
            raise Refused(f"by {leaf} there are more than {zarr_array.MOST_CHUNKS} chunks: refused")
        missing = []
        for index in range(array.chunks):
            file = f"{leaf}/{array.file_of(index)}"
            path = os.path.join(self.folder, file)
            is_there = os.path.isfile(path)
            if files.bytes_of(path) == 0 if is_there else self.tree.stores_all_chunks:
                missing.append(f"file {file} is {'empty' if is_there else 'missing'}")
        if missing:
            more = f", and {len(missing) - 1} more of {array.chunks}" if len(missing) > 1 else ""
            self.fault(missing[0] + more)

    def judge_names(self):
        """Does the tree have all that the other files name?"""
        leaves = {leaf.name for leaf in self.tree.leaves}
        for file, named in (("array_metadatas", self.shapes), ("_sharding", self.shardings)):
            for array in named:
                if array not in leaves:
                    self.fault(f"{file} has {array}, which _METADATA does not have")

    def judge_data_bases(self):
        """All processes must have written when a part of some array is on every device."""
        for file in ["manifest.ocdbt", *(f"ocdbt.process_{process}/manifest.ocdbt" for process in self.wrote)]:
            problem = _problem_of_manifest(self.folder, file)
            if problem:
                self.fault(problem)
        if self.all_write:
            self.judge_missing(self.wrote, "every process wrote, folder ocdbt.process_")

    def say_what_is_untold(self):
        untold = self.reading.untold
        untold += [
            "which arrays are parameters and which optimizer state",
            "which process had which device, so a last process of which nothing is left is not seen",
            "a file of another run whose arrays have the same shapes: files have no hash",
        ]
        if self.tree.is_ocdbt:
            untold.append("dtypes: the plan has fp32 for all. They stand in the data base, unread")
        if self.with_replicas:
            untold.append(
                f"how large {self.with_replicas} arrays with replicas are, for each replica may have written a part: "
                "the plan has the least that they can be"
            )
        if not self.tree.stores_all_chunks:
            untold.append("whether a file that is not there is missing: zeros are left out")
        alone = sum(sharding.mesh is None for sharding in self.shardings.values())
        if alone:
            untold.append(f"where in the mesh {alone} arrays of one device are: the plan gives them to the first shard")


def _only_item_in(folder):
    """A step of CheckpointManager has a folder for each of its items."""
    items_of_step = [item for item in files.names_in(folder) if os.path.isfile(os.path.join(folder, item, "_METADATA"))]
    if not items_of_step:
        raise Refused("expected _METADATA in it or in one folder in it, there is none")
    if len(items_of_step) > 1:
        raise Refused(f"it has items {items_of_step[0]} and {items_of_step[1]}: expected the folder of one")
    return os.path.join(folder, items_of_step[0])


def read(folder):
    is_item = os.path.isfile(os.path.join(folder, "_METADATA"))
    return OrbaxReader(folder if is_item else _only_item_in(folder)).read()
