"""How figures grow with the number of ranks and with the size of the model.

y = a * x^b, by least squares on logarithms.
"""

import math
import statistics

from page.figures import written
from picture.curves import curves_over
from picture.quantities import QUANTITIES, SENT, is_comparable

LEAST_POINTS = 3
SAME = 1.01  # bytes for each further rank, most to least: ranks also agree on some numbers


def exponent(points):
    """b; None where fewer than three x differ, or a value is not positive. `points`: (x, y)."""
    if len({x for x, _ in points}) < LEAST_POINTS or any(x <= 0 or y <= 0 for x, y in points):
        return None
    return statistics.linear_regression([math.log(x) for x, _ in points], [math.log(y) for _, y in points]).slope


def sentences(everything):
    """One for each subject, arrangement and quantity."""
    for curve in curves_over("ranks", everything):
        for quantity in QUANTITIES:
            points = points_of(curve, quantity, lambda measured: measured.ranks)
            yield f"{curve.label}: {quantity.name} {by_ranks(points, quantity)}"
    for curve in curves_over("model", everything):
        for quantity in QUANTITIES:
            points = points_of(curve, quantity, weights_of)
            yield f"{curve.label}: {quantity.name} {as_a_power('bytes of weights', points)}"


def weights_of(measured):
    return measured.value("memory_reported", "weights", "open")


def points_of(curve, quantity, x):
    """Those of which both are known, and that compare."""
    points = [(x(measured), quantity.of(measured)) for measured in curve.points if is_comparable(quantity, measured)]
    return [point for point in points if None not in point]


def by_ranks(points, quantity):
    if quantity is SENT:
        points = [(ranks, sent) for ranks, sent in points if ranks > 1]  # one rank sends nothing
        each = [sent / (ranks - 1) for ranks, sent in points]
        if len(each) > 1 and 0 < max(each) <= SAME * min(each):
            return f"is {written(statistics.median(each), 'byte')} for each rank beyond the first"
    return as_a_power("ranks", points)


def as_a_power(of, points):
    grown = exponent(points)
    if grown is None:
        return f"is known at {len(points)} that compare: a fit needs {LEAST_POINTS}, above 0"
    return f"goes with ({of})^{grown:.2f}, by {len(points)} figures"
