"""What torch.save writes: a zip whose member ARCHIVE/data.pkl is a pickle and whose members ARCHIVE/data/KEY are
storages. The pickle is read, and storages of a single number; of others the sizes, from the zip's directory.
"""

import encodings.cp437  # noqa: F401  zipfile wants it for names, when nothing may be imported any more
import io
import os
import struct
import zipfile
from dataclasses import dataclass

import files
import inert_pickle
from dtypes import STORAGES, bytes_of, dtype_from
from inert_pickle import Inert, Persistent, arguments_of, is_made_by, name_of
from reading import Refused, shown
from values import expected, integer, item, items, numel, size, sizes, text

PICKLE, STORAGE = "data.pkl", "data/"
MOST_BYTES_OF_NUMBER = 8
LAYOUTS = {"fp32": "<f", "fp64": "<d", "int32": "<i", "int64": "<q"}
END, END_BYTES, NAME_LENGTH_AT = b"PK\5\6", 22, 26
REBUILD = "torch._utils._rebuild_tensor_v2"


class Window(io.RawIOBase):
    """Bytes [begin, begin + count) of a file, as a file: a zip may stand among others."""

    def __init__(self, path, begin, count):
        self.file, self.begin, self.count, self.at = os.open(path, os.O_RDONLY | os.O_CLOEXEC), begin, count, 0

    def close(self):
        if not self.closed:
            os.close(self.file)
        super().close()

    def seekable(self):
        return True

    def seek(self, offset, whence=os.SEEK_SET):
        at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self.at, os.SEEK_END: self.count}[whence]
        if at < 0:
            raise ValueError("a place before the beginning")
        self.at = at
        return at

    def tell(self):
        return self.at

    def read(self, count=-1):
        left = max(self.count - self.at, 0)
        content = os.pread(self.file, left if count < 0 else min(count, left), self.begin + self.at)
        self.at += len(content)
        return content


@dataclass
class Saved:
    value: object  # of the pickle
    storages: dict  # bytes by key
    numbers: dict  # contents of those of at most MOST_BYTES_OF_NUMBER, by key

    def tensor(self, value, where):
        return _tensor_from(value, self.storages, where)

    def number(self, value, where):
        """A number, or that of a tensor of one element; None: neither."""
        if type(value) in (int, float):
            return value
        if not isinstance(value, Inert):
            return None
        tensor = self.tensor(value, where)
        layout = LAYOUTS.get(tensor.dtype)
        content = self.numbers.get(item(item(_arguments_of(value, where), 0, where).id, 2, "storage"), b"")
        is_one = tensor.numel == 1 and layout is not None and len(content) == struct.calcsize(layout)
        return struct.unpack(layout, content)[0] if is_one else None


@dataclass
class Tensor:
    dtype: str
    shape: list
    numel: int


def _require_whole_extra(window, member):
    """The further fields before a member, by which torch aligns it, fill their place."""
    window.seek(member.header_offset + NAME_LENGTH_AT)
    name_length, length = struct.unpack("<2H", window.read(4))
    window.seek(name_length, os.SEEK_CUR)
    extra = window.read(length)
    while extra:
        end = 4 + int.from_bytes(extra[2:4], "little")
        if end > len(extra):
            raise Refused(f"member {shown(member.filename)} has a field that ends behind its place: it is damaged")
        extra = extra[end:]


def _require_plain(archive, member, window):
    """It stands as torch writes it, and what the directory says of it stands before it too."""
    name = shown(member.filename)
    if member.compress_type != zipfile.ZIP_STORED or member.file_size != member.compress_size:
        raise Refused(
            f"member {name} is compressed to {member.compress_size} of {member.file_size} bytes: "
            "expected it as it is, as torch.save stores it"
        )
    if member.flag_bits & 1:
        raise Refused(f"member {name} is encrypted: expected it as it is")
    archive.open(member).close()
    _require_whole_extra(window, member)
    if member.header_offset + member.file_size > archive.start_dir:
        raise Refused(f"member {name} ends behind the beginning of the directory of the zip")


def _read(archive, window):
    members = archive.infolist()
    if sum(member.compress_size for member in members) > window.count:
        raise Refused(f"its members have more bytes than the {window.count} of the whole: they overlap")
    pickles = [member for member in members if member.filename.partition("/")[2] == PICKLE]
    if len(pickles) != 1:
        raise Refused(f"it has {len(pickles)} members data.pkl: expected one as torch.save writes it")
    for member in members:
        _require_plain(archive, member, window)
    if pickles[0].file_size > inert_pickle.MOST_BYTES:
        raise Refused(f"data.pkl has {pickles[0].file_size} bytes: expected at most {inert_pickle.MOST_BYTES}")
    if members[0].header_offset != 0:
        raise Refused(f"expected a zip at byte 0, it begins at {members[0].header_offset}")
    storages, numbers = {}, {}
    for member in members:
        name = member.filename.partition("/")[2]
        key = name.removeprefix(STORAGE)
        if name.startswith(STORAGE) and key not in storages:
            storages[key] = member.file_size
            if member.file_size <= MOST_BYTES_OF_NUMBER:
                numbers[key] = archive.read(member)
    return archive.read(pickles[0]), storages, numbers


def load(path, begin=0, count=None):
    """What stands in bytes [begin, begin + count) of a file."""
    whole = files.bytes_of(path)
    with Window(path, begin, whole if count is None else count) as window:
        window.seek(-min(END_BYTES, window.count), os.SEEK_END)
        if not window.read().startswith(END):
            raise Refused(
                "expected the end of a zip of torch.save, got none: cut off, or no checkpoint, or saved before torch "
                "1.6; save it again"
            )
        try:
            with zipfile.ZipFile(window) as archive:
                content, storages, numbers = _read(archive, window)
        except (Refused, MemoryError):
            raise
        except Exception as wrong:
            raise Refused(f"expected a zip of torch.save; Python says: {shown(str(wrong), 80)}") from None
    return Saved(inert_pickle.load(content), storages, numbers)


def _arguments_of(value, where):
    """The arguments of _rebuild_tensor_v2, by which a tensor is made, and a parameter or one with attributes."""
    if is_made_by(value, "torch._utils._rebuild_parameter"):
        value = item(value.arguments, 0, where)
    if is_made_by(value, "torch._tensor._rebuild_from_type_v2"):
        if name_of(item(value.arguments, 0, where), where) != REBUILD:
            raise expected("a tensor", where, value)
        return items(item(value.arguments, 2, where), where)
    return arguments_of(value, REBUILD, where)


def _storage_numel(storage, dtype, storages):
    key, count = text(item(storage, 2, "storage"), "storage"), size(item(storage, 4, "storage"), "storage")
    if key not in storages:
        raise Refused(f"storage {shown(key)} is missing in the zip")
    if storages[key] != count * bytes_of(dtype):
        raise Refused(
            f"storage {shown(key)} has {storages[key]} bytes: expected {count * bytes_of(dtype)} of {count} elements"
        )
    return count


def _tensor_from(value, storages, where):
    """All its elements lie in its storage, and that has the bytes that the pickle says."""
    arguments = _arguments_of(value, where)
    storage = item(arguments, 0, where)
    if not isinstance(storage, Persistent):
        raise expected("a tensor with a storage", where, storage)
    kind = name_of(item(storage.id, 1, "storage"), "storage")
    dtype = dtype_from(kind.removeprefix("torch."), "storage", STORAGES)
    offset, shape = integer(item(arguments, 1, where), where), sizes(item(arguments, 2, where), where)
    count = numel(shape, where)
    strides = sizes(item(arguments, 3, where), "strides")
    if len(strides) < len(shape) or offset < 0:
        raise Refused(f"{where} has shape {shape}, strides {strides} and offset {offset}: expected a stride per size")
    last = offset + sum((length - 1) * stride for length, stride in zip(shape, strides))
    available = _storage_numel(storage.id, dtype, storages)
    if count and last >= available:
        raise Refused(f"a tensor reaches element {last} of a storage of {available}")
    return Tensor(dtype, shape, count)


def problem_of_block(path, begin, count, shape, dtype):
    """What stands in these bytes instead of a tensor of this shape and dtype, or None."""
    try:
        saved = load(path, begin, count)
        found = saved.tensor(saved.value, "the pickle")
    except Refused as refused:
        return str(refused)
    if (found.shape, found.dtype) == (shape, dtype):
        return None
    return (
        f"expected {dtype} of shape {shape}, got {found.dtype} of shape {found.shape}: another file stands in its place"
    )
