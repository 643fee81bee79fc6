"""Safetensors: of each file the header alone, eight bytes and JSON. Whole tensors in one file or in those that an index
of Hugging Face names; or blocks, as torch.distributed.checkpoint writes them before they are consolidated: in
shard-00002-model-00001-of-00001 those of shard 2. Where these lie in their tensors stands in the metadata of the file,
the size of a whole tensor nowhere.
"""

import os
import re
import struct

import files
from dtypes import bytes_of, dtype_from
from reading import Reading, Refused, naming, shown
from stored_tensors import Block, StoredTensor, set_plan
from values import integer, items, member, name, numel, pairs, sizes, text

SHARDING = "DCP_SHARDING_INFO"
SHARD = re.compile(r"shard-([0-9]*).*\.safetensors")
MOST_SHARDS, MOST_FAULTS = 2**20, 1000


def _header_of(path):
    """(header, bytes behind it)"""
    whole = files.bytes_of(path)
    with open(path, "rb") as file:
        length = file.read(8)
        if len(length) < 8:
            raise Refused("expected a header, got fewer than 8 bytes")
        (count,) = struct.unpack("<Q", length)
        if count > min(files.MOST_JSON_BYTES, whole - 8):
            raise Refused(
                f"a header of {count} bytes: expected at most {files.MOST_JSON_BYTES}, and no more than the file has"
            )
        return files.json_of(file.read(count)), whole - 8 - count


def _tensor_from(key, value):
    """(tensor, [begin, end) of its bytes)"""
    with naming(shown(key)):
        dtype = dtype_from(text(member(value, "dtype", "it"), "dtype"), "dtype")
        tensor = StoredTensor(name(key, "the name"), sizes(member(value, "shape", "it"), "shape"), dtype)
        offsets = [integer(o, "data_offsets") for o in items(member(value, "data_offsets", "it"), "data_offsets")]
        if len(offsets) != 2 or len(value) != 3:
            raise Refused("expected dtype, shape and data_offsets of [begin, end], and no others")
        numel(tensor.shape, "it")
    return tensor, offsets


def _require_tight(tensors, data_bytes):
    """Tensors fill the bytes behind the header, one after the other."""
    last = 0
    for tensor, (begin, end) in tensors:
        if begin != last:
            raise Refused(f"{tensor.name} begins at byte {begin}: expected {last}, where the one before it ends")
        count = numel(tensor.shape, tensor.name) * bytes_of(tensor.dtype)
        if end - begin != count:
            raise Refused(f"{tensor.name} has {end - begin} bytes: expected {count} by its shape")
        last = end
    if last != data_bytes:
        raise Refused(f"tensors end at byte {last}: expected {data_bytes}, the end of the file")


def tensors_in(path):
    """(tensors in the order of their bytes, metadata)"""
    header, data_bytes = _header_of(path)
    metadata = pairs(pairs(header, "the header").pop("__metadata__", {}), "__metadata__")
    for value in metadata.values():
        text(value, "__metadata__")
    tensors = [_tensor_from(key, value) for key, value in header.items()]
    tensors.sort(key=lambda of: (of[1], of[0].name))
    _require_tight(tensors, data_bytes)
    return [tensor for tensor, _ in tensors], metadata


def _finish(reading, tensors, count):
    set_plan(reading, "safetensors", tensors, {"file": count})
    reading.untold = [
        "who held what in the training: tensors are whole, a file is no rank",
        "a file of another run with the same tensors: files have no hash",
    ]
    return reading


def _make_whole(tensor, file):
    tensor.blocks = [Block([0] * len(tensor.shape), tensor.shape, file)]
    return tensor


def read_one(path):
    tensors, metadata = tensors_in(path)
    if SHARDING in metadata:
        raise Refused("it is one shard of several: expected the folder that holds them")
    reading = Reading(format=f"safetensors: one file, {len(tensors)} tensors")
    return _finish(reading, [_make_whole(tensor, 0) for tensor in tensors], 1)


def _files_of_index(path):
    """{file: names of its tensors}, in the order of the files' names."""
    of_files = {}
    for tensor, file in pairs(member(files.json_in(path), "weight_map", "the index"), "weight_map").items():
        with naming(f"weight_map.{shown(tensor)}"):
            if "/" in text(file, "the name of a file") or file in (".", "..", ""):
                raise Refused(f"expected a file beside the index, got {shown(file)}")
            of_files.setdefault(name(file, "a file"), set()).add(name(tensor, "the name"))
    return dict(sorted(of_files.items()))


def read_index(path):
    reading, tensors, of_files = Reading(), [], _files_of_index(path)
    for number, (file, wanted) in enumerate(of_files.items()):
        beside = os.path.join(os.path.dirname(path), file)
        if not os.path.isfile(beside):
            reading.faults.append(f"file {file} is missing, with {len(wanted)} tensors")
            continue
        with naming(file):
            found = tensors_in(beside)[0]
        tensors += [_make_whole(tensor, number) for tensor in found if tensor.name in wanted]
        names = [tensor.name for tensor in found]
        reading.faults += [f"{file} has {n}, which the index does not put there" for n in names if n not in wanted]
        reading.faults += [f"{n} is not in {file}" for n in sorted(wanted.difference(names))]
    reading.format = f"Hugging Face index: {len(of_files)} files, {len(tensors)} tensors"
    return _finish(reading, tensors, max(len(of_files), 1))


def read_index_in(folder):
    return read_index(os.path.join(folder, "model.safetensors.index.json"))


def _shard_of(file):
    """ "shard-00002-..safetensors" is 2; None: no such name."""
    found = SHARD.fullmatch(file)
    if not found:
        return None
    if not 1 <= int(found[1][:20] or 0) <= MOST_SHARDS:
        raise Refused(f"{file}: expected the number of a shard from 1 to {MOST_SHARDS}")
    return int(found[1])


class ShardsReader:
    def __init__(self, folder):
        self.reading, self.tensors = Reading(), {}
        self.files = {file: _shard_of(file) for file in files.names_in(folder) if _shard_of(file)}
        for file, shard in self.files.items():
            with naming(file):
                self.read_file(os.path.join(folder, file), file, shard)

    def read(self):
        shards, last = set(self.files.values()), max(self.files.values(), default=1)
        missing = [shard for shard in range(1, last + 1) if shard not in shards][:MOST_FAULTS]
        self.reading.faults += [f"shard {shard} of {last} is missing" for shard in missing]
        tensors = [tensor for _, tensor in sorted(self.tensors.items())]
        set_plan(self.reading, "torch DCP, safetensors", tensors, {"shard": last})
        self.reading.format = f"torch DCP in safetensors: {len(shards)} of {last} shards, {len(tensors)} tensors"
        self.reading.untold = [
            "how large a tensor is: it ends where its last block does, so a missing last shard is not seen",
            "which rank of the training held a block: files have the numbers of shards, and replicas are written once",
            "a file of another run whose blocks have the same places and sizes: files have no hash",
        ]
        return self.reading

    def read_file(self, path, file, shard):
        tensors, metadata = tensors_in(path)
        if SHARDING not in metadata:
            raise Refused(f"expected {SHARDING} in its metadata, it has none")
        with naming(SHARDING):
            places = files.json_of(metadata[SHARDING])
            for tensor in tensors:
                place = member(member(places, tensor.name, "it"), "saved_offsets", tensor.name)
                self.add(tensor, sizes(place, f"saved_offsets of {tensor.name}"), file, shard)

    def add(self, tensor, offsets, file, shard):
        stored = self.tensors.setdefault(tensor.name, StoredTensor(tensor.name, tensor.shape, tensor.dtype))
        if stored.dtype != tensor.dtype:
            self.reading.faults.append(
                f"{tensor.name} is {tensor.dtype} in {file}: expected {stored.dtype} as in the shards before"
            )
        if not len(offsets) == len(tensor.shape) == len(stored.shape):
            raise Refused(f"{tensor.name} has {len(offsets)} offsets: expected {len(stored.shape)}, one per dimension")
        ends = [offset + length for offset, length in zip(offsets, tensor.shape)]
        stored.shape = [max(both) for both in zip(stored.shape, ends)]
        stored.blocks.append(Block(offsets, tensor.shape, shard - 1))


def read_shards(folder):
    return ShardsReader(folder).read()
