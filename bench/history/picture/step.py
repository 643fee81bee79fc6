"""The time of a step by its calls, in the order in which they come, with the bound of the machine."""

from picture.bars import Bar, stacked
from picture.measured import is_oversubscribed

CALLS = ("accumulate_call_time", "step_call_time")


def bar_of(measured):
    times = [measured.value(call) for call in CALLS]
    if None in times:
        return None
    bound = measured.figures["step_time",]["bound"] if ("step_time",) in measured.figures else None
    hollow = is_oversubscribed(measured)
    label = measured.label + (", oversubscribed" if hollow else "")
    return Bar(label, times, bound["value"] if bound and not hollow else None, hollow)


def picture(everything):
    """None where no step was measured."""
    bars = [bar for bar in map(bar_of, everything) if bar]
    title = "Time of a step, medians"
    return stacked(title, "s", ["accumulate, or forward and backward", "step"], "bound", bars) if bars else None
