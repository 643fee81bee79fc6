"""What all pictures share: their colours, light and dark, and their frame. An SVG stands alone, and in a page."""

from html import escape

COLOURS = ("#0a5bb5", "#b35900", "#0b6b35", "#8a2be2", "#6e7781", "#b3131b", "#00707a", "#7a6a00")
COLOURS_IN_THE_DARK = ("#7db8ff", "#f0a35a", "#5fd68b", "#c9a0ff", "#a3adb8", "#ff8f8a", "#5fd3de", "#d9c85a")
FONT = 'font: 12px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif'
LETTER_WIDE = 6.9  # of that font, on the safe side


def coloured(colours):
    return " ".join(
        f".zp .c{i} {{ fill: {colour}; stroke: {colour}; }} .zp text.c{i} {{ stroke: none; }}"
        for i, colour in enumerate(colours)
    )


def toned(text, soft, grid):
    return (
        f".zp text {{ fill: {text}; }} .zp .mark {{ stroke: {text}; }} .zp text.soft {{ fill: {soft}; }} "
        f".zp .grid {{ stroke: {grid}; }}"
    )


LIGHT, DARK = toned("#1b1f24", "#57606a", "#d9dde3"), toned("#e6e9ed", "#a3adb8", "#303741")
STYLE = f"""
.zp text {{ {FONT}; }} .zp .mark {{ stroke-width: 2; }} .zp polyline {{ stroke-width: 1.6; }}
.zp .dashed {{ stroke-dasharray: 4 4; }}
{LIGHT} {coloured(COLOURS)}
@media (prefers-color-scheme: dark) {{ {DARK} {coloured(COLOURS_IN_THE_DARK)} }}
.zp .hollow {{ fill: none; }}
"""


def frame(title, width, height, elements):
    body = "\n".join(elements)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="zp" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'aria-label="{escape(title, quote=True)}">\n<style>{STYLE}</style>\n'
        f"{text(8, 18, title)}\n{body}\n</svg>\n"
    )


def text(x, y, words, kind="", anchor="start"):
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def line(kind, x1, y1, x2, y2):
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def wide(words):
    return LETTER_WIDE * len(words)
