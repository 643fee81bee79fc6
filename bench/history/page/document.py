"""The page: what changed, then a chart per series, machine after machine. One file that needs nothing from
elsewhere.
"""

from html import escape
from pathlib import Path

from page.chart import bound_of, count_of_runs, figure_of, svg_of
from page.figures import change_in_words, exactly, written
from picture.all import pictures_of
from picture.measured import measured_in

HERE = Path(__file__).resolve().parent
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


def html_of(histories, voters):
    """`voters`: a sentence on who voted."""
    machines = sorted({history.series.machine for history in histories})
    body = "\n".join(
        [
            summary(histories, voters),
            changes_table(histories),
            filters(machines),
            *(machine_section(machine, histories) for machine in machines),
            '<p id="nothing" class="soft" hidden>No benchmark is called so.</p>',
            '<div id="tip" role="status" aria-live="polite" hidden></div>',
        ]
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>History of benchmarks</title>\n'
        f"<style>\n{asset('style.css')}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n"
        f"<script>\n{asset('behaviour.js')}</script>\n</body>\n</html>\n"
    )


def asset(name):
    return (HERE / name).read_text(encoding="utf-8")


def summary(histories, voters):
    verdicts = [history.verdict_on(change) for history in histories for change in history.changes]
    failed = sum(history.series.newest["error"] is not None for history in histories)
    counts = [
        (len(histories), "series"),
        (sum(len(history.series.records) for history in histories), "figures"),
        (verdicts.count("worse"), "changes for the worse"),
        (verdicts.count("better"), "changes for the better"),
        (failed, "failed in their newest run"),
    ]
    cells = "".join(f"<div><dt>{title}</dt><dd>{count}</dd></div>" for count, title in counts)
    return f'<h1>History of benchmarks</h1>\n<p class="soft">{escape(voters)}</p>\n<dl class="counts">{cells}</dl>'


def changes_table(histories):
    """Those with all votes first, each kind the newest first."""
    found = [(history, change) for history in histories for change in history.changes]
    if not found:
        return "<h2>What changed</h2>\n<p>Nothing.</p>"
    found.sort(key=lambda pair: (pair[1].agreed, date_of(*pair)), reverse=True)
    rows = "\n".join(change_row(history, change) for history, change in found)
    head = "".join(f"<th scope='col'>{title}</th>" for title in ("Change", "Benchmark", "From", "To", "Since", "Votes"))
    return (
        '<h2>What changed</h2>\n<div class="scroll" role="region" tabindex="0" aria-label="What changed">\n'
        f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>"
    )


def date_of(history, change):
    record = history.series.records[history.indices[change.index]]
    return (record["commit"] or record)["date"]


def change_row(history, change):
    verdict, unit, commit = history.verdict_on(change), history.series.unit, history.commit_of(change)
    since = f"{commit['id'][:12]}, {commit['date'][:10]}" if commit else date_of(history, change)[:10]
    write = exactly if change.exact else written
    sign = "±" if change.kind == "spread" else ""
    glyph = "▲" if change.after > change.before else "▼" if change.after < change.before else "◆"
    alone = "" if change.agreed else " alone"
    words = f"{escape(change_in_words(change))}, {verdict}"
    name, machine = escape(history.series.name), escape(history.series.machine)
    cells = [
        f'<span class="mark {verdict}{alone}"><i aria-hidden="true">{glyph}</i> {words}</span>',
        f'<a href="#{anchor(history)}">{name}</a> <small>on {machine}</small>',
        sign + escape(write(change.before, unit)),
        sign + escape(write(change.after, unit)),
        f"<code>{escape(since)}</code>",
        escape(" and ".join(change.votes)),
    ]
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def anchor(history):
    return "s-" + "".join(sign if sign.isalnum() else f"_{ord(sign):x}" for sign in "-".join(history.key))


def filters(machines):
    options = "".join(
        f'<option value="{escape(machine, quote=True)}">{escape(machine)}</option>' for machine in machines
    )
    return (
        '<form id="filters" class="card" role="search"><label>Benchmark <input id="words" type="search" '
        'placeholder="words of its name" autocomplete="off"></label>\n'
        f'<label>Machine <select id="machine"><option value="">all</option>{options}</select></label>\n'
        '<label class="tickbox"><input id="changed" type="checkbox"> only what changed</label>\n'
        '<output id="shown" class="soft"></output></form>'
    )


def machine_section(machine, histories):
    here = [history for history in histories if history.series.machine == machine]
    about = here[0].series.newest["machine"]
    title = f"{about['cpu'] or 'unknown processor'}, {about['cores']} cores, {written(about['memory_bytes'], 'byte')}"
    cards = "\n".join(card(history) for history in here)
    return (
        f'<section class="machine" data-machine="{escape(machine, quote=True)}">\n<h2>Machine {escape(machine)}</h2>\n'
        f'<p class="soft">{escape(title)}</p>\n{newest_in_pictures(here)}'
        f'<div class="charts">\n{cards}\n</div>\n</section>'
    )


def newest_in_pictures(histories):
    newest = [history.series.newest for history in histories]
    pictures = pictures_of(measured_in([record for record in newest if record["error"] is None]))
    if not pictures:
        return ""
    cards = "\n".join(f'<div class="card picture">{svg}</div>' for svg in pictures.values())
    return f"<details open><summary>The newest figures in pictures</summary>\n{cards}\n</details>\n"


def card(history):
    series = history.series
    changed = " data-changed" if history.changes else ""
    name = escape(series.name.lower(), quote=True)
    what, case = split_name(series.name)
    return (
        f'<article class="card series" id="{anchor(history)}" data-name="{name}"{changed}>\n'
        f"<h3>{escape(what)}</h3>\n{case_line(case)}{caption(history)}\n{svg_of(history)}\n{values_table(series)}\n</article>"
    )


def split_name(name):
    """("native/step_time", ["stage=2", "ranks=2"]): what is measured, and its case."""
    parts = name.split("/")
    first = next((index for index, part in enumerate(parts) if "=" in part), len(parts))
    return "/".join(parts[:first]), parts[first:]


def case_line(case):
    chips = " ".join(f"<span>{escape(part)}</span>" for part in case)
    return f'<p class="chips">{chips}</p>\n' if case else ""


def caption(history):
    series, newest = history.series, history.series.newest
    better = {"smaller": "smaller is better", "bigger": "bigger is better", "equal": "must stay equal"}[
        series.direction
    ]
    bound = bound_of(series)
    words = f"{figure_of(newest)}, {better}" + (f"; bound {written(bound, series.unit)}" if bound is not None else "")
    return f'<p class="soft">{escape(words)}</p>'


def values_table(series):
    rows = "".join(
        f"<tr><td><code>{escape(record['commit']['id'][:12] if record['commit'] else '')}</code></td>"
        f"<td>{escape((record['commit'] or record)['date'][:10])}</td>"
        f"<td class='number'>{escape(figure_of(record))}</td></tr>"
        for record in reversed(series.records)
    )
    head = "<tr><th scope='col'>Commit</th><th scope='col'>Day</th><th scope='col'>Figure</th></tr>"
    return f"<details><summary>{count_of_runs(series)} as a table</summary><table>{head}{rows}</table></details>"
