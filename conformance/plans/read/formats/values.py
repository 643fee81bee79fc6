"""Values of pickles and of JSON, asked for what they are expected to be."""

import math

from reading import LONGEST_NAME, Refused, is_printable

MOST_INTEGER, MOST_ELEMENTS, MOST_DIMENSIONS = 2**63 - 1, 2**56, 16
KINDS = {
    bool: "a bool",
    int: "an integer",
    float: "a float",
    str: "a text",
    bytes: "bytes",
    bytearray: "bytes",
    list: "a list",
    tuple: "a tuple",
    dict: "a dict",
    set: "a set",
    frozenset: "a set",
    type(None): "None",
}


def kind_of(value):
    if type(value) is int and not -MOST_INTEGER - 1 <= value <= MOST_INTEGER:
        return "an integer beyond 64 bits"
    return KINDS.get(type(value), "an object")


def expected(words, where, value):
    return Refused(f"expected {where} as {words}, got {kind_of(value)}")


def pairs(value, where):
    if not isinstance(value, dict):
        raise expected("a dict", where, value)
    return value


def member(value, key, where):
    if key not in pairs(value, where):
        raise Refused(f"expected {where} with the key {key}, it has none")
    return value[key]


def items(value, where):
    if type(value) not in (list, tuple):
        raise expected("a list or a tuple", where, value)
    return value


def item(value, index, where):
    if index >= len(items(value, where)):
        raise Refused(f"expected {where} with at least {index + 1} elements, got {len(value)}")
    return value[index]


def boolean(value, where):
    if type(value) is not bool:
        raise expected("a bool", where, value)
    return value


def integer(value, where):
    if type(value) is not int or kind_of(value) != "an integer":
        raise expected("an integer of 64 bits", where, value)
    return value


def size(value, where, least=0):
    if integer(value, where) < least:
        raise Refused(f"expected {where} as a size of {least} or more, got {value}")
    return value


def sizes(value, where, least=0):
    return [size(one, where, least) for one in items(value, where)]


def text(value, where):
    if type(value) is not str:
        raise expected("a text", where, value)
    return value


def name(value, where):
    """A text that is safe to print."""
    if not text(value, where) or not is_printable(value):
        raise Refused(
            f"expected {where} as a text of printable UTF-8 of 1 to {LONGEST_NAME} bytes, got one of {len(value)}"
        )
    return value


def numel(shape, where):
    """How many elements a plan counts; sizes of 0 do not excuse the others."""
    if len(shape) > MOST_DIMENSIONS:
        raise Refused(f"{where} has {len(shape)} dimensions: expected up to {MOST_DIMENSIONS} sizes")
    if math.prod(max(length, 1) for length in shape) > MOST_ELEMENTS:
        raise Refused(f"{where} has shape {shape}, more than 2^56 elements")
    return math.prod(shape)
