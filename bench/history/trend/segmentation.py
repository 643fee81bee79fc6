"""Our vote: the history is cut into pieces, each a normal distribution with a mean and a spread of its own.

Among all ways to cut n values into pieces of MIN_PIECE values or more, the best has the smallest

sum over pieces of (length * log of variance) + PENALTY * log(n) * (pieces - 1)

The first term is minus twice the logarithm of the likelihood. The BIC would count 3 unknowns per cut (its index, a
mean, a variance); PENALTY is stricter, for the variance of a short piece is flattering. It was chosen on the labelled
patterns with seeds 100 to 102; results are published with other seeds. A piece shorter than MIN_PIECE is an outlier,
not a change. The answer is exact (dynamic programming, time n * n) and draws no random numbers.
"""

import numpy

PENALTY, MIN_PIECE = 5.0, 4
RESOLUTION = 0.002  # of the median: a smaller spread is no evidence, it is rounding and the clock


def change_points(values):
    """Indices at which a new piece begins, in order; none for fewer than two pieces' worth of values."""
    n = len(values)
    if n < 2 * MIN_PIECE:
        return []
    cost_of_pieces = piece_costs(numpy.asarray(values, dtype=float))
    penalty = PENALTY * numpy.log(n)
    best = numpy.full(n + 1, numpy.inf)  # best[end]: of values[:end], the penalty counted once per piece
    best[0] = 0.0
    begin_of_last = numpy.zeros(n + 1, dtype=int)
    for end in range(MIN_PIECE, n + 1):
        begins = numpy.arange(0, end - MIN_PIECE + 1)
        totals = best[begins] + cost_of_pieces(begins, end) + penalty
        begin_of_last[end] = begins[numpy.argmin(totals)]
        best[end] = totals.min()
    return cuts_of(begin_of_last)


def piece_costs(values):
    """A function (begins, end): length * log of variance of values[begin:end], for each of the begins."""
    values = values / (numpy.max(numpy.abs(values)) or 1.0)  # the best cut does not depend on the unit
    centred = values - numpy.mean(values)
    sums = numpy.concatenate([[0.0], numpy.cumsum(centred)])
    squares = numpy.concatenate([[0.0], numpy.cumsum(centred**2)])
    least = (RESOLUTION * abs(numpy.median(values))) ** 2 + numpy.finfo(float).tiny

    def costs(begins, end):
        lengths = end - begins
        means = (sums[end] - sums[begins]) / lengths
        variances = (squares[end] - squares[begins]) / lengths - means**2
        return lengths * numpy.log(numpy.maximum(variances, 0) + least)

    return costs


def cuts_of(begin_of_last):
    cuts, end = [], len(begin_of_last) - 1
    while end > 0:
        end = int(begin_of_last[end])
        cuts.append(end)
    return cuts[-2::-1]
