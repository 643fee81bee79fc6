"""Pickles as inert values. Python's own unpickler runs them, with all that it could call taken away: a name of the list
stands for a class that keeps what it is given, and any other name is refused.
"""

import io
import pickle

import limits
from dtypes import NAMES as DTYPES_BY_NAME
from dtypes import STORAGES
from reading import Refused, shown
from values import kind_of

MOST_BYTES = 32 << 20

_TABLE = """
_codecs encode
argparse Namespace
builtins bytearray complex dict frozenset int list set
__builtin__ bytearray dict frozenset list set
collections Counter OrderedDict defaultdict
pathlib Path PosixPath
pathlib._local PosixPath
numpy dtype ndarray
numpy.core.multiarray _reconstruct scalar
numpy._core.multiarray _reconstruct scalar
torch Size Tensor device complex64 complex128 uint16 uint32 uint64 ComplexDoubleStorage ComplexFloatStorage
torch._tensor _rebuild_from_type_v2
torch._utils _rebuild_parameter _rebuild_parameter_with_state _rebuild_tensor _rebuild_tensor_v2
torch.nn.parameter Parameter
torch.serialization _get_layout
torch.storage UntypedStorage
torch.distributed.checkpoint.filesystem _StorageInfo _StoragePrefix
torch.distributed.checkpoint.metadata BytesStorageMetadata ChunkStorageMetadata Metadata MetadataIndex StorageMeta
torch.distributed.checkpoint.metadata TensorProperties TensorStorageMetadata _MEM_FORMAT_ENCODING
torch.distributed.checkpoint.planner BytesIOWriteData SavePlan TensorWriteData WriteItem WriteItemType
deepspeed.checkpoint.ds_to_universal fragment_address
deepspeed.runtime.fp16.loss_scaler DynamicLossScaler LossScaler
deepspeed.runtime.zero.config ZeroStageEnum
deepspeed.utils.tensor_fragment fragment_address
"""  # torch's storages and dtypes stand in dtypes.py
KNOWN = {(module, name) for module, *names in map(str.split, _TABLE.strip().splitlines()) for name in names}
KNOWN |= {("torch", name) for name in STORAGES} | {("torch", name) for name in DTYPES_BY_NAME}


class Inert:
    """What a pickle would make by calling `named`: its arguments and its state. What is put into it is dropped."""

    __slots__ = ("arguments", "state")
    named = ""

    def __new__(cls, *arguments, **_):
        made = object.__new__(cls)
        made.arguments, made.state = arguments, None
        return made

    def __setstate__(self, state):
        self.state = state

    def __setitem__(self, key, value):
        pass

    def append(self, value):
        pass

    def extend(self, values):
        pass

    def add(self, value):
        pass


class InertDict(dict):
    """An OrderedDict; torch gives one a state too."""

    named = "collections.OrderedDict"

    def __new__(cls, *_):
        return dict.__new__(cls)

    def __init__(self, *_):
        pass

    def __setstate__(self, state):
        pass


class Size(Inert):
    """Whatever it is called with, which is a tuple of sizes."""

    __slots__ = ()
    named = "torch.Size"

    def __new__(cls, sizes=()):
        return sizes


class Persistent:
    """What torch calls the persistent id of a storage."""

    __slots__ = ("id",)

    def __init__(self, id_):
        self.id = id_


CLASSES = {("collections", "OrderedDict"): InertDict, ("torch", "Size"): Size}


class InertUnpickler(pickle.Unpickler):
    def find_class(self, module, name):
        if (module, name) not in KNOWN:
            raise Refused(
                f"it names {shown(module)}.{shown(name)}, which is not in the list; "
                "not a checkpoint that this reader knows"
            )
        if (module, name) not in CLASSES:
            CLASSES[module, name] = type(name, (Inert,), {"__slots__": (), "named": f"{module}.{name}"})
        return CLASSES[module, name]

    def persistent_load(self, id_):
        return Persistent(id_)


def load(content):
    if len(content) > MOST_BYTES:
        raise Refused(f"the pickle has {len(content)} bytes: expected at most {MOST_BYTES}")
    if content[:1] != pickle.PROTO or content[1:2] not in (b"\2", b"\3", b"\4", b"\5"):
        raise Refused("expected a pickle of protocol 2 to 5, got something else")
    file = io.BufferedReader(io.BytesIO(content))
    try:
        with limits.time_of_a_pickle():
            return InertUnpickler(file, encoding="utf-8", errors="surrogateescape").load()
    except (Refused, MemoryError):
        raise
    except Exception as wrong:
        raise Refused(f"the pickle is no whole pickle of values; Python says: {shown(str(wrong), 80)}") from None


def is_made_by(value, named):
    return isinstance(value, Inert) and value.named == named


def name_of(value, where):
    """The name that stands for itself: torch.float32."""
    if not (isinstance(value, type) and issubclass(value, Inert)):
        raise Refused(f"expected {where} as a name, got {kind_of(value)}")
    return value.named


def arguments_of(value, named, where):
    if not is_made_by(value, named):
        raise Refused(f"expected {where} as {named}, got {kind_of(value)}")
    return value.arguments


def state_of(value, where):
    if not isinstance(value, Inert) or value.state is None:
        raise Refused(f"expected {where} as an object with a state, got {kind_of(value)}")
    return value.state
