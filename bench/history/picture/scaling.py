"""How time and bytes go with the number of ranks. Times of more ranks than cores are hollow, and in no fit."""

from html import escape

from page.figures import ticks, written
from picture.curves import curves_over
from picture.drawing import COLOURS, frame, line, text
from picture.measured import in_words
from picture.quantities import QUANTITIES, is_comparable

WIDE, HIGH, LEFT, RIGHT, HEAD, FOOT = 900, 200, 90, 20, 34, 30


def picture(everything):
    """None where no subject was measured with several numbers of ranks."""
    curves = curves_over("ranks", everything)
    if not curves:
        return None
    elements = legend(curves)
    top = HEAD + 18 * len(curves)
    for quantity in QUANTITIES:
        elements += panel(quantity, curves, top)
        top += HIGH + HEAD + FOOT
    return frame("By the number of ranks (hollow: more ranks than cores)", WIDE, top, elements)


def legend(curves):
    elements = []
    for index, curve in enumerate(curves):
        y = HEAD + 18 * index
        elements.append(f'<circle class="{colour_of(index)}" cx="14" cy="{y - 4}" r="4"/>')
        elements.append(text(26, y, curve.label))
    return elements


def colour_of(index):
    return f"c{index % len(COLOURS)}"


def panel(quantity, curves, top):
    """`top`: where it begins; its values end HEAD below."""
    values = [quantity.of(measured) or 0.0 for curve in curves for measured in curve.points]
    ranks = sorted({measured.ranks for curve in curves for measured in curve.points})
    most = max(values) or 1.0
    base = top + HEAD + HIGH

    def x(count):
        return LEFT + (WIDE - LEFT - RIGHT) * (ranks.index(count) + 0.5) / len(ranks)

    def y(value):
        return base - HIGH * value / most

    elements = [text(8, top + 18, quantity.title, "soft")]
    for value, words in ticks(0.0, most, quantity.unit):
        elements.append(line("grid", LEFT, y(value), WIDE - RIGHT, y(value)))
        elements.append(text(LEFT - 6, y(value) + 4, words, "soft", "end"))
    elements += [text(x(count), base + 18, in_words(count), "soft", "middle") for count in ranks]
    for index, curve in enumerate(curves):
        elements += drawn(curve, colour_of(index), quantity, x, y)
    return elements


def drawn(curve, colour, quantity, x, y):
    """A dashed line leads to a figure that compares with no other."""
    elements, last = [], None
    for measured in curve.points:
        value = quantity.of(measured)
        if value is None:
            last = None
            continue
        hollow = not is_comparable(quantity, measured)
        here = (x(measured.ranks), y(value))
        if last:
            ends = f"{last[0]:.1f},{last[1]:.1f} {here[0]:.1f},{here[1]:.1f}"
            elements.append(f'<polyline class="{colour} hollow{" dashed" if hollow else ""}" points="{ends}"/>')
        said = f"{curve.label}, {in_words(measured.ranks)}: {written(value, quantity.unit)}"
        elements.append(
            f'<circle class="{colour}{" hollow" if hollow else ""}" cx="{here[0]:.1f}" cy="{here[1]:.1f}" r="4">'
            f"<title>{escape(said)}</title></circle>"
        )
        last = here
    return elements
