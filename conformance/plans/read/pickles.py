"""Pickles of torch without torch: classes of the right names, so that a test writes what torch would, or would not."""

import collections
import io
import pickle
import sys
import types
import zipfile

METADATA = "torch.distributed.checkpoint.metadata"


def named(module, name):
    """A class that pickles as module.name."""
    for package in (module.split(".")[0], module):  # pickle imports both
        sys.modules.setdefault(package, types.ModuleType(package))
    place = sys.modules[module]
    if not hasattr(place, name):
        setattr(place, name, type(name, (), {"__module__": module, "__reduce_ex__": _reduce}))
    return getattr(place, name)


def _reduce(self, protocol):
    if hasattr(self, "arguments"):
        return type(self), self.arguments
    return object.__reduce_ex__(self, protocol)


def call(module, name, *arguments):
    """A value that unpickles by calling module.name."""
    value = named(module, name)()
    value.arguments = arguments
    return value


def record(module, name, **fields):
    """A value that unpickles as an object with these fields."""
    value = named(module, name)()
    value.__dict__.update(fields)
    return value


def size(*sizes):
    return call("torch", "Size", sizes)


class Properties:
    """TensorProperties, whose state is a tuple."""

    def __reduce_ex__(self, protocol):
        return named(METADATA, "TensorProperties"), (), (named("torch", "float32"), None, False, None, False)


def dcp_tensor(shape, *chunks):
    """chunks: (offsets, sizes)"""
    return record(
        METADATA,
        "TensorStorageMetadata",
        properties=Properties(),
        size=size(*shape),
        chunks=[record(METADATA, "ChunkStorageMetadata", offsets=size(*o), sizes=size(*s)) for o, s in chunks],
    )


def dcp_metadata(tensors, places, protocol=4):
    """tensors: {name: dcp_tensor}; places: [(name, offsets, file, begin, bytes)]"""
    storage = [
        (
            record(METADATA, "MetadataIndex", fqn=name, offset=size(*offsets), index=None),
            record(
                "torch.distributed.checkpoint.filesystem",
                "_StorageInfo",
                relative_path=file,
                offset=begin,
                length=count,
            ),
        )
        for name, offsets, file, begin, count in places
    ]
    whole = record(
        METADATA,
        "Metadata",
        state_dict_metadata=tensors,
        planner_data=None,
        storage_data=dict(storage),
        storage_meta=None,
    )
    return pickle.dumps(whole, protocol)


class Storage:
    def __init__(self, key, numel):
        self.key, self.numel = key, numel


class Tensor:
    def __init__(self, shape, key="0", numel=None, strides=None):
        count = 1
        for length in shape:
            count *= length
        contiguous, step = [], 1
        for length in reversed(shape):
            contiguous.insert(0, step)
            step *= length
        self.storage = Storage(key, count if numel is None else numel)
        self.shape, self.strides = tuple(shape), tuple(contiguous if strides is None else strides)

    def __reduce_ex__(self, protocol):
        rebuild = named("torch._utils", "_rebuild_tensor_v2")
        return rebuild, (self.storage, 0, self.shape, self.strides, False, collections.OrderedDict())


class Pickler(pickle.Pickler):
    def persistent_id(self, value):
        if isinstance(value, Storage):
            return ("storage", named("torch", "FloatStorage"), value.key, "cpu", value.numel)
        return None


def pickled(value, protocol=2):
    file = io.BytesIO()
    Pickler(file, protocol).dump(value)
    return file.getvalue()


def torch_save(path, value, storages=None, data=None):
    """As torch.save: `storages` are bytes by key; `data` is a pickle to write instead of the value's."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", pickled(value) if data is None else data)
        for key, content in (storages or {}).items():
            archive.writestr(f"archive/data/{key}", content)
        archive.writestr("archive/version", "3\n")
