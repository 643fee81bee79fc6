"""How a figure is written: times and bytes in the unit that suits their size; what is compared by == with all its
digits.
"""

import math
import sys

TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))
SECONDS_IN = {unit: size for size, unit in TIMES}
BYTES = ((2.0**40, "TiB"), (2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"), (1.0, "B"))
NICE = (1, 2, 5, 10)


def written(value, unit):
    size, scaled_unit = scale_for(value, unit)
    return with_unit(f"{value / size:.4g}", scaled_unit)


def exactly(value, unit):
    digits = f"{value:,}" if value != int(value) else f"{int(value):,}"
    return with_unit(digits, unit)


def with_unit(digits, unit):
    return digits if unit == "1" else f"{digits} {unit}"


def scale_for(value, unit):
    """(size, unit): value / size reads well in that unit."""
    if unit in SECONDS_IN:
        factor, scale = SECONDS_IN[unit], TIMES
    elif unit == "byte":
        factor, scale = 1.0, BYTES
    else:
        return 1.0, unit
    size, scaled_unit = next((step for step in scale if abs(value) * factor >= step[0]), scale[-1])
    return size / factor, scaled_unit


def ticks(low, high, unit, about=5):
    """(value, text) at round values from low to high."""
    size, scaled_unit = scale_for(max(abs(low), abs(high)), unit)
    raw = max((high - low) / size / about, sys.float_info.min)
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(nice * power for nice in NICE if nice * power >= raw)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    first = math.ceil(low / size / step)
    rounds = [index * step for index in range(first, first + 2 * about) if index * step <= high / size]
    return [(value * size, with_unit(f"{value:,.{digits}f}", scaled_unit)) for value in rounds]


def change_in_words(change):
    """+20.0 %; drift of +20.0 %; spread times 4; the difference of exact figures."""
    if change.exact:
        return f"{change.after - change.before:+,}"
    if change.ratio is None:
        return f"0 to {change.after:.4g}"
    if change.kind == "spread":
        return f"spread times {change.ratio:.2g}"
    percent = f"{100 * (change.ratio - 1):+.3g} %"
    return f"drift of {percent}" if change.kind == "drift" else percent
