"""Memory of the rank that held most, at CS336's three points.

Parts as the subject says them, and what its process holds beside these.
"""

from picture.bars import Bar, stacked

PARTS = ("weights", "gradients", "optimizer", "buffers")
POINTS = {"open": "after init", "before_step": "before step", "after_step": "after step"}


def bars_of(measured):
    for point, words in POINTS.items():
        held = measured.value("memory_held", point)
        reported = [measured.value("memory_reported", part, point) for part in PARTS]
        if held is None or None in reported:
            continue
        other = max(held - sum(reported), 0)  # on a device the process holds less than that
        yield Bar(f"{measured.label}, {words}", [*reported, other], measured.value("memory_peak", point))


def picture(everything):
    """None where no memory was measured."""
    bars = [bar for measured in everything for bar in bars_of(measured)]
    title = "Memory of the rank that held most"
    return stacked(title, "byte", [*PARTS, "other, of its process"], "peak", bars) if bars else None
