"""Our vote: the history is cut into pieces, each a level or a drift with a spread of its own.

A piece is a normal distribution around a mean, or around a straight line. Among all ways to cut n values into pieces of
MIN_PIECE values or more, the best has the smallest

sum over pieces of (length * log of variance) + PENALTY * log(n) * (pieces - 1 + drifts)

The first term is minus twice the logarithm of the likelihood. The BIC would count 3 unknowns per cut (its index, a
mean, a variance); PENALTY is stricter, for the variance of a short piece is flattering. It was chosen on the labelled
patterns with seeds 100 to 102; results are published with other seeds. The answer is exact (dynamic programming, time
n * n: Jackson and others 2005, An algorithm for optimal partitioning of data on an interval) and draws no random
numbers.

Fewer than MIN_PIECE values are outliers. They are replaced first, by the Hampel identifier (Davies and Gather 1993,
The identification of multiple outliers): what is OUTLIER robust standard deviations from the median of its neighbours,
theirs or the usual ones of the series, whichever are more.
"""

import dataclasses

import numpy

PENALTY, MIN_PIECE, MIN_DRIFT = 5.0, 4, 12
OUTLIER, TO_DEVIATION = 3.0, 1.4826  # a normal distribution's standard deviation / its median absolute deviation
NORMAL_80 = 1.2816  # 80 % of a normal distribution are nearer to its mean, in standard deviations
RESOLUTION = 0.002  # of the median: a smaller spread is no evidence, it is rounding and the clock


@dataclasses.dataclass
class Piece:
    begin: int
    end: int
    drifts: bool = False
    first: float = 0.0  # fitted: the median, or the ends of the line
    last: float = 0.0
    spread: float = 0.0  # standard deviation around it

    def fit(self, values):
        values = values[self.begin : self.end]
        times = numpy.arange(len(values))
        line = numpy.full(len(values), numpy.median(values))
        if self.drifts:
            line = numpy.polyval(numpy.polyfit(times, values, 1), times)
        with numpy.errstate(over="ignore"):
            self.first, self.last, self.spread = float(line[0]), float(line[-1]), float(numpy.std(values - line))
        return self


def pieces_of(values, can_begin=None):
    """The best pieces, in order. `can_begin`: for each value, whether a piece may begin there; None: anywhere."""
    n = len(values)
    values = numpy.asarray(values, dtype=float)
    if n < 2 * MIN_PIECE:
        return [Piece(0, n).fit(values)] if n else []
    values = without_outliers(values)
    allowed = numpy.ones(n, dtype=bool) if can_begin is None else numpy.asarray(can_begin, dtype=bool).copy()
    allowed[0] = True
    penalty = PENALTY * numpy.log(n)
    costs = piece_costs(values, penalty)
    best = numpy.full(n + 1, numpy.inf)  # best[end]: of values[:end], the penalty counted once per piece
    best[0] = 0.0
    last = [None] * (n + 1)
    for end in range(MIN_PIECE, n + 1):
        begins = numpy.flatnonzero(allowed[: end - MIN_PIECE + 1])
        level, drift = costs(begins, end)
        totals = best[begins] + numpy.minimum(level, drift) + penalty
        chosen = numpy.argmin(totals)
        last[end] = Piece(int(begins[chosen]), end, bool(drift[chosen] < level[chosen]))
        best[end] = totals[chosen]
    return [piece.fit(values) for piece in pieces_up_to(last)]


def without_outliers(values):
    reach = MIN_PIECE - 1
    around = [values[max(0, index - reach) : index + reach + 1] for index in range(len(values))]
    medians = numpy.array([numpy.median(near) for near in around])
    distances = numpy.abs(values - medians)
    deviations = TO_DEVIATION * numpy.array([numpy.median(numpy.abs(near - numpy.median(near))) for near in around])
    usual = max(numpy.quantile(distances, 0.8) / NORMAL_80, RESOLUTION * abs(numpy.median(values)) / OUTLIER)
    return numpy.where(distances > OUTLIER * numpy.maximum(deviations, usual), medians, values)


def piece_costs(values, penalty):
    """A function (begins, end): length * log of variance of values[begin:end] around its mean, and around its line
    (with the penalty of a drift), for each of the begins.
    """
    values = values / (numpy.max(numpy.abs(values)) or 1.0)  # the best cut does not depend on the unit
    centred = values - numpy.mean(values)
    sums, squares, moments = (
        numpy.concatenate([[0.0], numpy.cumsum(terms)])
        for terms in (centred, centred**2, centred * numpy.arange(len(values)))
    )
    least = (RESOLUTION * abs(numpy.median(values))) ** 2 + numpy.finfo(float).tiny

    def costs(begins, end):
        lengths = end - begins
        means = (sums[end] - sums[begins]) / lengths
        variances = (squares[end] - squares[begins]) / lengths - means**2
        covariances = (moments[end] - moments[begins]) / lengths - means * (begins + end - 1) / 2
        around_line = variances - covariances**2 / ((lengths**2 - 1) / 12)
        level, drift = (lengths * numpy.log(numpy.maximum(of, 0) + least) for of in (variances, around_line))
        return level, numpy.where(lengths < MIN_DRIFT, numpy.inf, drift + penalty)

    return costs


def pieces_up_to(last):
    pieces, end = [], len(last) - 1
    while end > 0:
        pieces.append(last[end])
        end = last[end].begin
    return pieces[::-1]
