"""The picture of one series as SVG: values in the order of commits, levels and drifts, the bound, the changes.

Positions are in units of a picture that is WIDE x HIGH; it grows and shrinks with the page. Every point carries what is
said of it in data-says; behaviour.js shows that.
"""

from html import escape

from page.figures import change_in_words, exactly, ticks, written

WIDE, HIGH = 440, 220
RIGHT, TOP, BOTTOM = 12, 30, 26
DIGIT_WIDE = 6.4  # of the text beside the ticks
BOUND_WITHIN = 3  # the bound is drawn where it makes the picture at most so many times higher


class Scale:
    """Where a value stands."""

    def __init__(self, series):
        self.count = len(series.records)
        ends = [end for record in series.measured for end in ends_of(record)] or [0, 1]
        low, high = min(ends), max(ends)
        bounds = [record["bound"]["value"] for record in series.measured if record["bound"]]
        lowest, highest = min([low, *bounds]), max([high, *bounds])
        self.shows_bound = bounds != [] and highest - lowest <= BOUND_WITHIN * (high - low or abs(high))
        if self.shows_bound:
            low, high = lowest, highest
        room = 0.08 * (high - low) or 0.05 * abs(high) or 1.0
        self.low, self.high = low - room, high + room
        self.ticks = ticks(self.low, self.high, series.unit) if series.measured else []
        self.left = 14 + DIGIT_WIDE * max((len(text) for _, text in self.ticks), default=0)

    def x(self, index):
        return self.left + (index + 0.5) * (WIDE - self.left - RIGHT) / self.count

    def y(self, value):
        return TOP + (self.high - value) / (self.high - self.low) * (HIGH - TOP - BOTTOM)


def ends_of(record):
    interval = record["interval"]
    return (record["value"], interval["low"], interval["high"]) if interval else (record["value"],)


def bound_of(series):
    newest = series.measured[-1]["bound"] if series.measured else None
    return newest["value"] if newest else None


def svg_of(history):
    series, scale = history.series, Scale(history.series)
    parts = [axes(series, scale), bound_line(series, scale), pieces(history, scale)]
    parts += [change_mark(history, change, scale) for change in history.changes]
    parts += [point(history, index, scale) for index in range(len(series.records))]
    label = f"{series.name}: {count_of_runs(series)}, {len(history.changes)} changes. Arrow keys walk over the runs."
    return (
        f'<svg viewBox="0 0 {WIDE} {HIGH}" tabindex="0" role="group" aria-label="{escape(label, quote=True)}">\n'
        + "\n".join(part for part in parts if part)
        + "\n</svg>"
    )


def axes(series, scale):
    lines = [
        level_line("grid", scale, scale.y(tick))
        + f'<text x="{scale.left - 6:.1f}" y="{scale.y(tick) + 4:.1f}" text-anchor="end">{escape(text)}</text>'
        for tick, text in scale.ticks
    ]
    first, last = (series.records[index] for index in (0, -1))
    lines.append(f'<text x="{scale.left:.1f}" y="{HIGH - 8}">{day_of(first)}</text>')
    lines.append(f'<text x="{WIDE - RIGHT}" y="{HIGH - 8}" text-anchor="end">{day_of(last)}</text>')
    return "\n".join(lines)


def level_line(kind, scale, y):
    return f'<line class="{kind}" x1="{scale.left:.1f}" x2="{WIDE - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'


def day_of(record):
    return (record["commit"] or record)["date"][:10]


def bound_line(series, scale):
    """Through the bound of each run: it is measured anew, and a machine that is busy has another one."""
    if not scale.shows_bound:
        return ""
    runs = [(index, record["bound"]["value"]) for index, record in enumerate(series.records) if record["bound"]]
    points = [(scale.x(index), scale.y(bound)) for index, bound in runs]
    left, right, y = points[0][0] - 4, points[-1][0] + 4, points[-1][1]
    steps = "L".join(f"{x:.1f} {y:.1f}" for x, y in [(left, points[0][1]), *points, (right, y)])
    return (
        f'<path class="bound" d="M{steps}"/>'
        f'<text class="bound" x="{WIDE - RIGHT}" y="{y - 4:.1f}" text-anchor="end">bound</text>'
    )


def pieces(history, scale):
    """A line from each change to the next, level unless it drifts."""
    steps = []
    for piece in history.pieces:
        left, right = (scale.x(history.indices[index]) for index in (piece.begin, piece.end - 1))
        steps.append(f"M{left - 4:.1f} {scale.y(piece.first):.1f}L{right + 4:.1f} {scale.y(piece.last):.1f}")
    return f'<path class="median" d="{"".join(steps)}"/>' if steps else ""


def change_mark(history, change, scale):
    x = (scale.x(history.indices[max(change.index - 1, 0)]) + scale.x(history.indices[change.index])) / 2
    agreed = "agreed" if change.agreed else "alone"
    anchor = "start" if x < WIDE * 0.2 else "end" if x > WIDE * 0.85 else "middle"
    return (
        f'<g class="change {history.verdict_on(change)} {agreed}">'
        f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 8}" y2="{HIGH - BOTTOM}"/>'
        f'<text x="{x:.1f}" y="{TOP - 12}" text-anchor="{anchor}">{escape(change_in_words(change))}</text></g>'
    )


def point(history, index, scale):
    record = history.series.records[index]
    x, says = scale.x(index), escape(sentence_on(record), quote=True)
    if record["error"]:
        y = HIGH - BOTTOM - 6
        mark = f'<path class="failed" d="M{x - 4:.1f} {y - 4}l8 8m0 -8l-8 8"/>'
    else:
        y = scale.y(record["value"])
        hollow = " hollow" if record["oversubscribed"] or (record["commit"] and record["commit"]["dirty"]) else ""
        mark = f'<circle class="dot{hollow}" cx="{x:.1f}" cy="{y:.1f}" r="3.2"/>'
        if record["interval"]:
            ends = [scale.y(record["interval"][end]) for end in ("low", "high")]
            mark = f'<line class="interval" x1="{x:.1f}" x2="{x:.1f}" y1="{ends[0]:.1f}" y2="{ends[1]:.1f}"/>' + mark
    return f'<g class="run" data-x="{x:.1f}" data-y="{y:.1f}" data-says="{says}">{mark}</g>'


def sentence_on(record):
    """Lines for the tooltip."""
    commit = record["commit"]
    lines = [figure_of(record)]
    if record["interval"]:
        low, high = (written(record["interval"][end], record["unit"]) for end in ("low", "high"))
        lines.append(f"{100 * record['interval']['confidence']:g} % interval: {low} to {high}")
    if record["bound"]:
        lines.append(f"bound {written(record['bound']['value'], record['unit'])} ({record['bound']['name']})")
    if commit:
        lines.append(f"commit {commit['id'][:12]}{', with changes' if commit['dirty'] else ''}, {commit['date'][:16]}")
    lines.append(f"measured {record['date'][:16]} by {record['compiler']['name']} {record['compiler']['version']}")
    if record["oversubscribed"]:
        lines.append("more ranks than cores: not compared")
    if (record["steal_fraction"] or 0) > 0.01:
        lines.append(f"{100 * record['steal_fraction']:.0f} % of the time stolen by the host")
    return "\n".join(lines)


def count_of_runs(series):
    return "1 run" if len(series.records) == 1 else f"{len(series.records)} runs"


def figure_of(record):
    if record["error"]:
        return f"failed: {record['error']}"
    return (exactly if record["direction"] == "equal" else written)(record["value"], record["unit"])
