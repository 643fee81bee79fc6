"""Stacked bars, a row each, from zero, on one scale."""

import dataclasses

from page.figures import ticks, written
from picture.drawing import frame, line, text, wide

WIDE, ROW, BAR, RIGHT, HEAD = 900, 24, 16, 170, 60
MARK_WITHIN = 3  # a mark is drawn where it makes the picture at most so many times wider


@dataclasses.dataclass
class Bar:
    label: str
    parts: list  # values, in the order of the legend
    mark: float = None  # a line across the bar
    is_hollow: bool = False

    @property
    def length(self):
        return sum(self.parts)


def stacked(title, unit, legend, mark, bars):
    """`mark`: what the line across a bar is, None where there is none."""
    left = 16 + max(wide(bar.label) for bar in bars)
    longest = max(bar.length for bar in bars) or 1.0
    marks = [bar.mark for bar in bars if bar.mark is not None and bar.mark <= MARK_WITHIN * longest]
    most = max([longest, *marks])
    room = WIDE - left - RIGHT

    def x(value):
        return left + room * value / most

    height = HEAD + ROW * len(bars) + 12
    elements = legend_of(legend, mark)
    for value, words in ticks(0.0, most, unit):
        elements += [line("grid", x(value), HEAD - 4, x(value), height - 8)]
        elements += [text(x(value), HEAD - 8, words, "soft", "middle")]
    for index, bar in enumerate(bars):
        elements += row(bar, HEAD + ROW * index, x, unit, mark if bar.mark in marks else None)
    return frame(title, WIDE, height, elements)


def legend_of(legend, mark):
    elements, at = [], 8.0
    for i, words in enumerate(legend):
        elements.append(f'<rect class="c{i}" x="{at:.1f}" y="25" width="10" height="10"/>')
        elements.append(text(at + 15, 34, words, "soft"))
        at += 30 + wide(words)
    if mark:
        elements += [line("mark", at + 5, 24, at + 5, 36), text(at + 15, 34, mark, "soft")]
    return elements


def row(bar, top, x, unit, mark):
    """`mark`: what its mark is, None where none is drawn."""
    elements = [text(x(0) - 8, top + 13, bar.label, "", "end")]
    begin, kind = 0.0, " hollow" if bar.is_hollow else ""
    for i, value in enumerate(bar.parts):
        if value > 0:
            elements.append(
                f'<rect class="c{i}{kind}" x="{x(begin):.1f}" y="{top}" width="{x(begin + value) - x(begin):.1f}" '
                f'height="{BAR}"><title>{written(value, unit)}</title></rect>'
            )
        begin += value
    end, words = bar.length, written(bar.length, unit)
    if mark:
        elements.append(line("mark", x(bar.mark), top - 2, x(bar.mark), top + BAR + 2))
        end, words = max(end, bar.mark), f"{words}, {mark} {written(bar.mark, unit)}"
    elements.append(text(x(end) + 6, top + 13, words, "soft"))
    return elements
