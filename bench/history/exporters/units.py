"""Units as words, for formats whose names hold letters and underscores alone."""

import re

WORDS = {
    "1": "number",
    "byte": "bytes",
    "s": "seconds",
    "ms": "milliseconds",
    "us": "microseconds",
    "ns": "nanoseconds",
    "%": "percent",
}


def spelled_out(unit):
    """s: seconds; tokens/s: tokens_per_second; GB/s: gb_per_second."""
    above, slash, below = unit.partition("/")
    words = WORDS.get(above, above)
    if slash:
        words += "_per_" + WORDS.get(below, below).removesuffix("s")
    return re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_") or "figure"
