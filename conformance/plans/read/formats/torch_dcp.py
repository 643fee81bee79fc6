"""torch.distributed.checkpoint: .metadata and __R_N.distcp. The planner writes every block once, so its file has an
owner and no replicas. Megatron's dist_checkpointing writes it too, and says so in a file beside it.
"""

import os
import re
from dataclasses import dataclass

import files
import inert_pickle
import torch_saved
from dtypes import dtype_from
from inert_pickle import arguments_of, is_made_by, name_of, state_of
from reading import Reading, Refused, naming, shown
from stored_tensors import Block, StoredTensor, odd_orders, set_plan
from values import item, items, member, name, numel, pairs, size, sizes, text

MODULE = "torch.distributed.checkpoint.metadata"
FILE = re.compile(r"__([0-9]+)_.*\.distcp")  # "__3_0.distcp" is the first file of writer 3
MOST_WRITERS = 2**20
BACKENDS = ("torch_dist", "fsdp_dtensor")


@dataclass
class Place:
    """Where an object of this name, or its block at these offsets, lies."""

    name: str
    offsets: tuple  # (): not a tensor, or a tensor without dimensions
    file: str
    writer: int
    begin: int
    count: int


def _writer_of(file):
    found = FILE.fullmatch(file)
    if not found or int(found[1][:20]) >= MOST_WRITERS:
        raise Refused(f"file {file}: expected a name such as __3_0.distcp, by its writer")
    return int(found[1])


def _tensor_from(fqn, state):
    """(tensor, blocks that .metadata says it has)"""
    properties = state_of(member(state, "properties", fqn), "properties")  # (dtype, layout, ..)
    dtype = name_of(item(properties, 0, "properties"), "dtype").removeprefix("torch.")
    tensor = StoredTensor(fqn, sizes(member(state, "size", fqn), "size"), dtype_from(dtype, "dtype"))
    numel(tensor.shape, fqn)
    blocks = []
    for chunk in items(member(state, "chunks", fqn), "chunks"):
        of = state_of(chunk, "chunks")
        block = Block(*(sizes(member(of, key, "chunks"), key) for key in ("offsets", "sizes")))
        numel(block.sizes, f"a block of {fqn}")
        blocks.append(block)
    return tensor, blocks


def _place_from(index, info):
    index, info = state_of(index, "storage_data"), state_of(info, "storage_data")
    file = files.plain_name(name(member(info, "relative_path", "storage_data"), "relative_path"), ".metadata")
    offsets = pairs(index, "storage_data").get("offset")  # of tensors
    return Place(
        name(member(index, "fqn", "storage_data"), "fqn"),
        () if offsets is None else tuple(sizes(offsets, "offset")),
        file,
        _writer_of(file),
        size(member(info, "offset", "storage_data"), "offset"),
        size(member(info, "length", "storage_data"), "length"),
    )


class DcpReader:
    def __init__(self, folder):
        self.folder, self.reading = folder, Reading()
        content = files.content_of(os.path.join(folder, ".metadata"), inert_pickle.MOST_BYTES)
        root = inert_pickle.load(content)
        arguments_of(root, f"{MODULE}.Metadata", "the pickle")
        state = state_of(root, "Metadata")
        objects = pairs(member(state, "state_dict_metadata", "Metadata"), "state_dict_metadata")
        self.tensors = [
            _tensor_from(name(fqn, "state_dict_metadata"), state_of(value, fqn))
            for fqn, value in objects.items()
            if is_made_by(value, f"{MODULE}.TensorStorageMetadata")
        ]
        self.others = len(objects) - len(self.tensors)
        data = pairs(member(state, "storage_data", "Metadata"), "storage_data")
        self.places = [_place_from(index, info) for index, info in data.items()]
        self.writers = max((place.writer + 1 for place in self.places), default=1)
        self.bytes = {}  # by file; 0: it is missing

    def read(self):
        self.judge_files()
        by_block = {}
        for place in self.places:
            if by_block.setdefault((place.name, place.offsets), place) is not place:
                raise Refused(f"storage_data has {place.name} at {list(place.offsets)} twice")
        for tensor, blocks in self.tensors:
            tensor.blocks = [block for block in blocks if self.holds(tensor, block, by_block)]
        planner = self.writer_of_folder()
        set_plan(self.reading, planner, [tensor for tensor, _ in self.tensors], {"writer": self.writers})
        self.reading.format = (
            f"{planner}: {len(self.bytes)} files of {self.writers} writers, "
            f"{len(self.tensors)} tensors, {self.others} other objects"
        )
        self.reading.untold = [
            "which rank of the training held a block: files have the writers' numbers, and replicas are written once",
            "writers behind the last that wrote anything",
            "which tensors are parameters and which optimizer state",
            "a file of another run whose blocks have the same names, places and sizes: .metadata has no hash",
            *odd_orders([tensor for tensor, _ in self.tensors]),
        ]
        return self.reading

    def judge_files(self):
        """Are they there, and long enough for what .metadata puts there?"""
        places = {}  # by file the bytes of its blocks, by where they begin
        for place in self.places:
            of_file = places.setdefault(place.file, {})
            if place.begin in of_file:
                self.fault(f"two blocks begin at byte {place.begin} of {place.file}, one is of {place.name}")
            of_file.setdefault(place.begin, place.count)
        for file, of_file in sorted(places.items()):
            self.judge_file(file, of_file)

    def judge_file(self, file, counts):
        path = os.path.join(self.folder, file)
        is_there = os.path.isfile(path)
        self.bytes[file] = files.bytes_of(path) if is_there else 0
        if not is_there:
            self.fault(f"file {file} is missing, with {len(counts)} blocks")
        end = 0
        for begin, count in sorted(counts.items()):
            if begin < end:
                self.fault(f"bytes [{begin}, {end}) of {file} are those of two blocks")
            end = max(end, begin + count)
        if is_there and end > self.bytes[file]:
            self.fault(f"file {file} has {self.bytes[file]} bytes: expected {end}")

    def holds(self, tensor, block, by_block):
        """A block that no file has, or in whose place another stands, is held by nobody."""
        place = by_block.get((tensor.name, tuple(block.offsets)))
        shown_block = f"the block of {tensor.name} at {block.offsets}"
        if place is None:
            self.fault(f"{shown_block} is in no file")
            return False
        if place.begin + place.count > self.bytes[place.file]:
            return False  # told once per file
        path = os.path.join(self.folder, place.file)
        problem = torch_saved.problem_of_block(path, place.begin, place.count, block.sizes, tensor.dtype)
        if problem:
            self.fault(f"{shown_block} in {place.file}: {problem}")
        block.shard = place.writer
        return not problem

    def writer_of_folder(self):
        path = os.path.join(self.folder, "metadata.json")
        if not os.path.isfile(path):
            return "torch DCP"
        with naming("metadata.json"):
            backend = text(member(files.json_in(path), "sharded_backend", "it"), "sharded_backend")
            if backend not in BACKENDS:
                raise Refused(f"expected sharded_backend {' or '.join(BACKENDS)}, got {shown(backend)}")
        return f"Megatron dist_checkpointing, {backend}"

    def fault(self, sentence):
        self.reading.faults.append(sentence)


def read(folder):
    return DcpReader(folder).read()
