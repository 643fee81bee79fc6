"""Formats that store tensors block by block, whatever a tensor is for: a plan of what lies in which shard."""

import math
import operator
from dataclasses import dataclass, field

from reading import Refused, plan_of, sharding
from values import numel

MOST_RUNS = 2**21  # of one tensor: the judge lists them


@dataclass
class Block:
    """Elements [offsets, offsets + sizes) of a tensor in every dimension."""

    offsets: list
    sizes: list
    shard: int = 0
    holders: list = None  # the shards that have the same block, itself included, ascending; None: itself alone


@dataclass
class StoredTensor:
    name: str
    shape: list
    dtype: str = "fp32"
    blocks: list = field(default_factory=list)
    rows: int = None  # the dimension along which all shards divide it, instead of blocks


def _is_within(block, shape):
    """A list of elements would hide a block that ends behind its row."""
    return all(0 <= offset <= size - length for offset, length, size in zip(block.offsets, block.sizes, shape))


def _strides(sizes):
    return [math.prod(sizes[d + 1 :]) for d in range(len(sizes))]


def _runs(sizes, shape):
    """Into how many runs of elements of the tensor a block falls."""
    of_block = of_tensor = 1
    for d in reversed(range(len(sizes))):
        if sizes[d] != 1 and of_block != of_tensor:
            return math.prod(sizes[: d + 1])
        of_block, of_tensor = of_block * sizes[d], of_tensor * shape[d]
    return 1


def _piece(block, shape):
    strides = _strides(shape)
    return {
        "shard": block.shard,
        "shape": block.sizes,
        "source": [sum(map(operator.mul, block.offsets, strides)), strides],
        "dest": [0, _strides(block.sizes)],
        "locations": block.holders or [block.shard],
    }


def _rule(tensor, faults):
    if tensor.rows is not None:
        return {"rule": "rows", "dimension": tensor.rows}
    pieces, runs = [], 0
    for block in tensor.blocks:
        if not len(block.offsets) == len(block.sizes) == len(tensor.shape):
            raise Refused(f"{tensor.name} has shape {tensor.shape} and a block of {len(block.sizes)} dimensions")
        if not _is_within(block, tensor.shape):
            faults.append(
                f"a block of {tensor.name} begins at {block.offsets} with sizes {block.sizes}: "
                f"expected it within {tensor.shape}"
            )
            continue
        pieces.append(_piece(block, tensor.shape))
        runs += _runs(block.sizes, tensor.shape)
        if runs > MOST_RUNS:
            raise Refused(f"the blocks of {tensor.name} fall into more than {MOST_RUNS} runs of elements: refused")
    return {"rule": "affine", "pieces": pieces}


def odd_orders(tensors):
    """Sentences on tensors whose shards stand in another order than those of other tensors with the same shards: blocks
    that were swapped look so, and so do tensors that are divided in another way.
    """
    orders = {}  # of tensors by their order, those by their shards
    for tensor in tensors:
        order = tuple(dict.fromkeys(block.shard for block in sorted(tensor.blocks, key=lambda block: block.offsets)))
        orders.setdefault(frozenset(order), {}).setdefault(order, []).append(tensor.name)
    return [
        f"whether blocks of {names[0]}{' and others' if len(names) > 1 else ''} were swapped: its shards stand in the "
        f"order {_shown(order)}, those of {usual_names[0]} {_shown(usual)}"
        for by_order in orders.values()
        for usual, usual_names in [max(by_order.items(), key=lambda of: (len(of[1]), [-shard for shard in of[0]]))]
        for order, names in by_order.items()
        if order != usual
    ]


def _shown(order, most=8):
    return ", ".join(map(str, order[:most])) + (", .." if len(order) > most else "")


def set_plan(reading, planner, tensors, mesh, axes=None):
    """Every tensor counts as a parameter without gradient and optimizer state: the formats do not say which is which.
    A block that is beyond its tensor is a fault. axes: those along which shards stand; None: all of the mesh.
    """
    for tensor in tensors:
        numel(tensor.shape, f"tensor {tensor.name}")
    model = [{"name": t.name, "shape": t.shape, "dtype": t.dtype, "frozen": True} for t in tensors]
    rules = [_rule(tensor, reading.faults) for tensor in tensors]
    axes = list(mesh) if axes is None else axes
    reading.plan = plan_of(planner, mesh, model, parameters=sharding(axes, rules))
