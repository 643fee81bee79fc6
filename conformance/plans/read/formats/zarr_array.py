"""An array that zarr stores in a folder of its own: what .zarray (format 2) or zarr.json (format 3) says of it."""

import math
import os
from dataclasses import dataclass

import files
from dtypes import NAMES, dtype_from
from reading import Refused, naming, shown
from values import MOST_DIMENSIONS, member, pairs, sizes, text

MOST_CHUNKS = 2**20  # of an array, and of all in a checkpoint
# Unsigned integers are taken for signed ones: plans ask how many bytes an element has.
DTYPES = NAMES | {
    **{"<u8": "int64", "<u4": "int32", "<u2": "int16", "uint64": "int64", "uint32": "int32", "uint16": "int16"}
}


@dataclass
class ZarrArray:
    shape: list
    chunk: list  # a file has one; those at the end may be less
    dtype: str
    prefix: str  # chunk 1, 2 is the file "1.2", or "c/1/2"
    separator: str

    def __post_init__(self):
        if len(self.shape) != len(self.chunk) or len(self.shape) > MOST_DIMENSIONS:
            raise Refused(
                f"shape {self.shape} and chunks {self.chunk}: expected as many sizes, at most {MOST_DIMENSIONS}"
            )
        if self.separator not in (".", "/"):
            raise Refused(f'separator: expected . or /, got "{shown(self.separator)}"')
        self.along = [-(-length // chunk) for length, chunk in zip(self.shape, self.chunk)]
        self.chunks = math.prod(self.along)
        if self.chunks > MOST_CHUNKS:
            raise Refused(f"shape {self.shape} has more than {MOST_CHUNKS} chunks of {self.chunk}: refused")

    def file_of(self, index):
        """The last dimension runs fastest."""
        place = []
        for count in reversed(self.along):
            index, at = divmod(index, count)
            place.insert(0, str(at))
        if not place:
            return self.prefix or "0"
        return self.separator.join([self.prefix, *place] if self.prefix else place)


def _from_format_2(value):
    return ZarrArray(
        sizes(member(value, "shape", "it"), "shape", least=1),
        sizes(member(value, "chunks", "it"), "chunks", least=1),
        dtype_from(text(member(value, "dtype", "it"), "dtype"), "dtype", DTYPES),
        "",
        text(value.get("dimension_separator", "."), "dimension_separator"),
    )


def _from_format_3(value):
    grid = member(member(value, "chunk_grid", "it"), "configuration", "chunk_grid")
    keys = pairs(member(value, "chunk_key_encoding", "it"), "chunk_key_encoding").get("configuration", {})
    return ZarrArray(
        sizes(member(value, "shape", "it"), "shape", least=1),
        sizes(member(grid, "chunk_shape", "configuration"), "chunk_shape", least=1),
        dtype_from(text(member(value, "data_type", "it"), "data_type"), "data_type", DTYPES),
        "c",
        text(pairs(keys, "configuration").get("separator", "/"), "separator"),
    )


def file_of(is_format_3):
    return "zarr.json" if is_format_3 else ".zarray"


def array_in(folder, is_format_3):
    with naming(file_of(is_format_3)):
        value = files.json_in(os.path.join(folder, file_of(is_format_3)))
        return _from_format_3(value) if is_format_3 else _from_format_2(value)
