"""What the ranks did during one step: forward, backward and the optimizer above, the collectives beside them below."""

from page.figures import ticks, written
from picture.bars import legend_of
from picture.drawing import frame, line, text, wide
from picture.measured import is_oversubscribed

WIDE, RIGHT, HEAD = 900, 60, 60
LANE, BAR, BETWEEN = 18, 13, 10
COMPUTING = ("forward", "backward", "step")
COLLECTIVES = ("all_gather", "reduce_scatter", "all_reduce")
NAMES = (*COMPUTING, *COLLECTIVES)  # in the order of their colours; others share the next one


def lanes_of(spans):
    """The rows of one rank: what computes, then as many of collectives and others as last at once."""
    lanes = [[span for span in spans if span["name"] in COMPUTING]]
    for span in sorted(spans, key=lambda span: span["begin"]):
        if span["name"] in COMPUTING:
            continue
        free = next((lane for lane in lanes[1:] if lane[-1]["end"] <= span["begin"]), None)
        if free is None:
            lanes.append([])
        (lanes[-1] if free is None else free).append(span)
    return lanes


def rows_of(measured):
    """Label and spans of each row of a subject; the label stands on the first row of a rank."""
    spans = measured.figures["step_time",]["timeline"]
    for rank in sorted({span["rank"] for span in spans}):
        for index, lane in enumerate(lanes_of([span for span in spans if span["rank"] == rank])):
            yield "" if index else f"rank {rank}", lane


def drawn_of(span, top, x):
    colour = NAMES.index(span["name"]) if span["name"] in NAMES else len(NAMES)
    unit = f" {span['index']}" if span["index"] >= 0 else ""
    words = f"{span['name']}{unit}, {written(span['end'] - span['begin'], 's')}"
    return (
        f'<rect class="c{colour}" x="{x(span["begin"]):.1f}" y="{top}" '
        f'width="{max(x(span["end"]) - x(span["begin"]), 0.5):.1f}" height="{BAR}"><title>{words}</title></rect>'
    )


def picture(everything):
    """None where no subject gave a timeline. Ranks that share cores wait for each other, and their spans would lie."""
    with_timeline = [
        measured
        for measured in everything
        if measured.figures.get(("step_time",), {}).get("timeline") and not is_oversubscribed(measured)
    ]
    if not with_timeline:
        return None
    blocks = [(measured.label, list(rows_of(measured))) for measured in with_timeline]
    spans = [span for _, rows in blocks for _, lane in rows for span in lane]
    most = max(span["end"] for span in spans) or 1.0
    left = 24 + max(wide(label) for _, rows in blocks for label, _ in rows)

    def x(seconds):
        return left + (WIDE - left - RIGHT) * seconds / most

    has_others = any(span["name"] not in NAMES for span in spans)
    names = [name.replace("_", "-") for name in NAMES] + (["other"] if has_others else [])
    elements, top = legend_of(names, None), HEAD
    height = HEAD + sum(LANE * (len(rows) + 1) + BETWEEN for _, rows in blocks)
    for value, words in ticks(0.0, most, "s"):
        elements += [line("grid", x(value), HEAD - 4, x(value), height - 8)]
        elements += [text(x(value), HEAD - 8, words, "soft", "middle")]
    for label, rows in blocks:
        elements.append(text(8, top + 13, label))
        for words, lane in rows:
            top += LANE
            elements += [text(left - 8, top + 11, words, "soft", "end")] + [drawn_of(span, top, x) for span in lane]
        top += LANE + BETWEEN
    return frame("One step of each rank, from its begin", WIDE, height, elements)
