"""How jax divided the arrays of an orbax checkpoint: the file _sharding. It is JSON: the base64 of an array's name, and
JSON again as text. And whether the blocks that were written fit that.
"""

import base64
import math
from dataclasses import dataclass, field

import files
from reading import Refused, is_printable, naming, shown
from stored_tensors import Block, StoredTensor
from values import MOST_DIMENSIONS, items, member, name, pairs, size, text

MOST_RANKS, MOST_BLOCKS = 2**24, 2**18
MOST_HOLDERS = 2**23  # of all blocks: each lists who has it too


@dataclass
class Sharding:
    mesh: dict = None  # sizes of its axes by name, the outermost first; None: the array is on one device
    devices: list = field(default_factory=list)  # in the order of the mesh; older releases do not name them
    spec: list = field(default_factory=list)  # by dimension the axes that divide it, the outermost first

    def parts(self, d):
        return math.prod(self.mesh[axis] for axis in self.spec[d]) if d < len(self.spec) else 1

    def all_parts(self):
        return math.prod(map(self.parts, range(len(self.spec))))

    def replicas(self):
        """Devices of the mesh that have the same part of the array."""
        return math.prod(self.mesh.values()) // self.all_parts() if self.mesh is not None else 1


def _array_name(encoded):
    try:
        decoded = base64.b64decode(encoded, validate=True)
    except ValueError:
        raise Refused(f'expected base64, got "{shown(encoded)}"') from None
    array = decoded.decode("utf-8", "surrogateescape")
    if not array or not is_printable(array):
        raise Refused(f'expected the base64 of a printable name, got that of "{shown(array)}"')
    return array


def _mesh_from(value):
    axes = [name(axis, "axis_names") for axis in items(member(value, "axis_names", "it"), "axis_names")]
    lengths = [size(length, "shape", least=1) for length in items(member(value, "shape", "it"), "shape")]
    if len(axes) != len(lengths) or len(set(axes)) < len(axes) or len(axes) > MOST_DIMENSIONS:
        raise Refused(
            f"shape has {len(lengths)} sizes: expected one for each of axis_names, {len(axes)}, at most "
            f"{MOST_DIMENSIONS} of different names"
        )
    if math.prod(lengths) > MOST_RANKS:
        raise Refused("shape: the mesh has more than 2^24 ranks")
    return dict(zip(axes, lengths))


def _devices_of(value, mesh, d=0):
    """Those of axis d and of the axes inside of it."""
    if d == len(mesh):
        return [size(member(value, "id", "a device"), "id")]
    axis, length = list(mesh.items())[d]
    if len(items(value, "device_mesh")) != length:
        raise Refused(f"device_mesh: expected {length} entries along axis {axis}, got {len(value)}")
    return [device for inner in value for device in _devices_of(inner, mesh, d + 1)]


def _devices_from(value, mesh):
    if value is None:
        return []
    devices = _devices_of(member(value, "mesh", "device_mesh"), mesh)
    seen = set()
    for device in devices:
        if device in seen:
            raise Refused(f"device_mesh has device {device} twice")
        seen.add(device)
    return devices


def _axes_from(entry):
    if entry is None:
        return []
    return [name(axis, "the name of an axis") for axis in (entry if type(entry) is list else [entry])]


def _spec_from(value, mesh):
    if len(items(value, "partition_spec")) > MOST_DIMENSIONS:
        raise Refused(f"partition_spec has more than {MOST_DIMENSIONS} entries: refused")
    spec, used = [_axes_from(entry) for entry in value], set()
    for axis in (axis for axes in spec for axis in axes):
        if axis not in mesh:
            raise Refused(f"partition_spec names axis {axis}, which axis_names does not have")
        if axis in used:
            raise Refused(f"partition_spec names axis {axis} twice")
        used.add(axis)
    return spec


def _sharding_from(value):
    inside = files.json_of(text(value, "a sharding"))
    kind = text(member(inside, "sharding_type", "it"), "sharding_type")
    if kind == "SingleDeviceSharding":
        return Sharding()
    if kind != "NamedSharding":
        raise Refused(f"sharding_type: expected NamedSharding or SingleDeviceSharding, got {shown(kind)}")
    mesh = _mesh_from(inside)
    devices = _devices_from(inside.get("device_mesh"), mesh)
    return Sharding(mesh, devices, _spec_from(member(inside, "partition_spec", "it"), mesh))


def shardings_from(value):
    """By the name of the array, in the order of names."""
    shardings = {}
    for encoded, sharding in pairs(value, "_sharding").items():
        array = _array_name(encoded)
        if array in shardings:
            raise Refused(f"it has {array} twice")
        with naming(array):
            shardings[array] = _sharding_from(sharding)
    return dict(sorted(shardings.items()))


@dataclass
class Shapes:
    """How one process wrote an array: by blocks of `write`, which fall into chunks."""

    write: list
    chunk: list

    def problem(self, sharding):
        if len(sharding.spec) > len(self.write):
            return (
                f"is written by blocks of {self.write}: expected at least {len(sharding.spec)} dimensions, "
                "as its partition_spec has"
            )
        if any(write % chunk for write, chunk in zip(self.write, self.chunk)):
            return f"is written by blocks of {self.write} in chunks of {self.chunk}: expected sizes that these divide"
        return None

    def problem_of_parts(self, shape, sharding):
        """Parts of an array of this shape are what was written, or as many blocks of it as it has replicas at most, cut
        along one dimension: orbax lets each replica write a part.
        """
        if len(shape) != len(self.write):
            return f"is written by blocks of {self.write}: expected as many dimensions"
        writers = 1
        for d, (length, write) in enumerate(zip(shape, self.write)):
            parts = sharding.parts(d)
            if length % parts:
                return f"is cut into {parts} parts along dimension {d}: expected a size that they divide"
            part = length // parts
            if part % write or (part != write and writers > 1):
                return (
                    f"is written by blocks of {self.write}: expected the parts of its sharding, or these cut in one "
                    "dimension"
                )
            writers *= part // write
        if writers > sharding.replicas():
            return (
                f"is written by blocks of {self.write}, {writers} to a part: expected no more than it has replicas, "
                f"{sharding.replicas()}"
            )
        return None

    def least_shape(self, sharding):
        """Where no file says the shape. With replicas it is the least that it can be."""
        return [write * sharding.parts(d) for d, write in enumerate(self.write)]


class Shards:
    """The one mesh of all arrays, and those of its axes along which any is divided. Ranks that differ along the others
    hold the same.
    """

    def __init__(self, shardings):
        with_mesh = {array: sharding for array, sharding in shardings.items() if sharding.mesh is not None}
        first = next(iter(with_mesh), None)
        self.mesh = with_mesh[first].mesh if with_mesh else {}
        for array, sharding in with_mesh.items():
            if (list(sharding.mesh.items()), sharding.devices) != (list(self.mesh.items()), with_mesh[first].devices):
                raise Refused(f"{array} has another mesh than {first}: expected one mesh for all arrays")
        divides = {axis for sharding in with_mesh.values() for axes in sharding.spec for axis in axes}
        self.axes = [axis for axis in self.mesh if axis in divides]
        self.count = math.prod(self.mesh[axis] for axis in self.axes)
        self.blocks = self.holders = 0  # of all arrays

    def tensor(self, array, shape, dtype, sharding):
        """The first shard has the whole array where it is on one device: no file says where in the mesh that is."""
        if sharding.mesh is None:
            return StoredTensor(array, shape, dtype, [Block([0] * len(shape), shape)])
        divided = [d for d, axes in enumerate(sharding.spec) if axes]
        if len(divided) == 1 and sharding.spec[divided[0]] == self.axes:
            return StoredTensor(array, shape, dtype, rows=divided[0])
        return StoredTensor(array, shape, dtype, self._blocks(array, shape, sharding))

    def _blocks(self, array, shape, sharding):
        self.blocks += self.count
        self.holders += self.count * (self.count // sharding.all_parts())
        if self.blocks > MOST_BLOCKS or self.holders > MOST_HOLDERS:
            raise Refused(
                f"by {array} arrays fall into more than {MOST_BLOCKS} blocks, or these have more than {MOST_HOLDERS} "
                "holders: refused"
            )
        lengths = [length // sharding.parts(d) for d, length in enumerate(shape)]
        holders = {}
        for shard in range(self.count):
            holders.setdefault(self._place_of(shard, sharding, len(shape)), []).append(shard)
        return [
            Block([index * length for index, length in zip(place, lengths)], lengths, shard, shards)
            for place, shards in sorted(holders.items())
            for shard in shards
        ]

    def _place_of(self, shard, sharding, dimensions):
        """Where a shard's block begins, counted in blocks."""
        coordinates = {}
        for axis in reversed(self.axes):
            shard, coordinates[axis] = divmod(shard, self.mesh[axis])
        place = [0] * dimensions
        for d, axes in enumerate(sharding.spec):
            for axis in axes:
                place[d] = place[d] * self.mesh[axis] + coordinates[axis]
        return tuple(place)
