"""Which part of a whole tensor this rank holds of a DTensor. Each axis of its mesh cuts what the axes behind it have
left: the tensor axis the layer, then the data axis that part.
"""

import math

from torch.distributed.tensor import DTensor


def local(tensor):
    """What this rank holds; any other tensor than a DTensor is whole on each rank."""
    return tensor.to_local() if isinstance(tensor, DTensor) else tensor


def ranges_of(tensor):
    """[(begin, end)] per dimension."""
    ranges = [(0, size) for size in tensor.shape]
    coordinate = tensor.device_mesh.get_coordinate()
    for axis in reversed(range(tensor.device_mesh.ndim)):
        dimension = getattr(tensor.placements[axis], "dim", None)  # of a shard; replicas have none
        if dimension is not None:
            ranges[dimension] = piece(*ranges[dimension], coordinate[axis], tensor.device_mesh.size(axis))
    held = tuple(end - begin for begin, end in ranges)
    if (
        held != tuple(local(tensor).shape) and math.prod(held) + local(tensor).numel()
    ):  # fully_shard has nothing as (0, 0)
        raise RuntimeError(
            f"expected a part of {held} by the placements {tensor.placements}, got {tuple(local(tensor).shape)}"
        )
    return ranges


def piece(begin, end, index, count):
    """As torch.chunk cuts: all have the size of the first, as far as there are elements."""
    size = math.ceil((end - begin) / count)
    return min(end, begin + index * size), min(end, begin + (index + 1) * size)


def intervals_of(tensor):
    """[(begin, end)] in elements of the whole tensor, of one or two dimensions; one per row where columns are cut."""
    ranges = ranges_of(tensor)
    if any(begin == end for begin, end in ranges):
        return []
    if len(ranges) == 1:
        return ranges
    rows, (first, last) = ranges
    columns = tensor.shape[1]
    if last - first == columns:
        return [(rows[0] * columns, rows[1] * columns)]
    return [(row * columns + first, row * columns + last) for row in range(*rows)]


def offset_in(intervals, begin):
    """Where element `begin` of the whole tensor stands in what the rank holds of it."""
    before = 0
    for first, end in intervals:
        if first <= begin < end:
            return before + begin - first
        before += end - first
    raise ValueError(f"expected an element of {intervals}, got {begin}")
