#!/usr/bin/env python3
"""Pictures of a run, read as XML, and how its figures grow."""

import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

from for_test import made_up
from picture.all import pictures_of
from picture.growth import exponent, sentences
from picture.measured import measured_in

PROGRAM = Path(__file__).resolve().parent / "pictures.py"
SVG = "{http://www.w3.org/2000/svg}"
PARTS = {"weights": 100.0, "gradients": 200.0, "optimizer": 300.0, "buffers": 50.0}
CORES = 4


def figure(name, value, unit, subject="native", bound=None, **case):
    ranks = case["ranks"]
    return made_up.record(
        name=name, value=value, unit=unit, subject=subject, case=case, bound=bound, oversubscribed=ranks > CORES
    )


def run_of(ranks, subject="native", **more):
    """What `zerocts bench` records of one subject in stage 1, simplified."""
    case = {"stage": 1, "ranks": ranks, "model": "tiny"} | more
    bound = {"name": "memory", "value": 0.5 / ranks}
    yield figure("step_time", 1.0 / ranks, "s", subject, bound, **case)
    yield figure("accumulate_call_time", 0.25 / ranks, "s", subject, **case)
    yield figure("step_call_time", 0.75 / ranks, "s", subject, **case)
    yield figure("cpu_time_of_a_rank", ranks**-0.5, "s", subject, **case)
    yield figure("sent_bytes", 1000.0 * (ranks - 1), "byte", subject, **case, collective="all_gather")
    for part, value in PARTS.items():
        yield figure("memory_reported", value, "byte", subject, **case, part=part, point="open")
    yield figure("memory_held", 1000.0, "byte", subject, **case, point="open")
    yield figure("memory_peak", 1100.0, "byte", subject, **case, point="open")


def everything(*runs):
    return measured_in([record for run in runs for record in run])


def widths(svg):
    return [
        float(bar.get("width")) for bar in xml.fromstring(svg).iter(f"{SVG}rect") if bar.find(f"{SVG}title") is not None
    ]


class Pictures(unittest.TestCase):
    def test_memory_is_as_long_as_its_parts(self):
        svg = pictures_of(everything(run_of(2)))["memory"]
        drawn = widths(svg)
        unit = drawn[0] / PARTS["weights"]
        for part, width in zip([*PARTS.values(), 1000.0 - sum(PARTS.values())], drawn, strict=True):
            self.assertAlmostEqual(width, part * unit, delta=0.2)
        self.assertIn("native, stage 1, 2 ranks, after init", svg)
        self.assertIn("peak 1.074 KiB", svg)

    def test_a_step_of_more_ranks_than_cores_is_hollow_and_has_no_bound(self):
        svg = pictures_of(everything(run_of(4), run_of(8)))["step"]
        self.assertEqual(svg.count('hollow" x='), 2)
        self.assertIn("native, stage 1, 8 ranks, oversubscribed", svg)
        self.assertEqual(svg.count(", bound "), 1)

    def test_a_bound_far_away_does_not_make_bars_invisible(self):
        run = list(run_of(2))
        run[0]["bound"]["value"] = 100.0
        self.assertGreater(max(widths(pictures_of(everything(run))["step"])), 100)

    def test_a_timeline_has_a_row_of_each_rank_and_of_what_lasts_beside_it(self):
        run = list(run_of(2))
        run[0]["timeline"] = [
            {"rank": 0, "name": "forward", "index": 3, "begin": 0.0, "end": 0.5},
            {"rank": 0, "name": "all_gather", "index": 4, "begin": 0.25, "end": 0.5},
            {"rank": 0, "name": "reduce_scatter", "index": 1, "begin": 0.375, "end": 0.625},
            {"rank": 0, "name": "all_gather", "index": 5, "begin": 0.5, "end": 0.75},
            {"rank": 1, "name": "step", "index": -1, "begin": 0.0, "end": 1.0},
        ]
        svg = pictures_of(everything(run))["timeline"]
        bars = [bar for bar in xml.fromstring(svg).iter(f"{SVG}rect") if bar.find(f"{SVG}title") is not None]
        rows = sorted({float(bar.get("y")) for bar in bars})
        self.assertEqual([rows.index(float(bar.get("y"))) for bar in bars], [0, 1, 1, 2, 3])
        self.assertEqual(bars[0].find(f"{SVG}title").text, "forward 3, 500 ms")
        whole = float(bars[-1].get("width"))
        self.assertEqual([round(float(bar.get("width")) / whole, 2) for bar in bars], [0.5, 0.25, 0.25, 0.25, 1.0])
        self.assertIn("native, stage 1, 2 ranks", svg)

    def test_ranks_that_share_cores_have_no_timeline(self):
        run = list(run_of(8))
        run[0]["timeline"] = [{"rank": 0, "name": "step", "index": -1, "begin": 0.0, "end": 1.0}]
        self.assertNotIn("timeline", pictures_of(everything(run)))

    def test_figures_by_ranks_stand_in_their_order(self):
        svg = pictures_of(everything(run_of(10), run_of(2), run_of(1)))["scaling"]
        ranks = [
            words.text
            for words in xml.fromstring(svg).iter(f"{SVG}text")
            if words.text[0].isdigit() and "rank" in words.text
        ]
        self.assertEqual(ranks, ["1 rank", "2 ranks", "10 ranks"] * 3)

    def test_bars_stand_by_ranks(self):
        labels = [measured.label for measured in everything(run_of(10), run_of(2), run_of(1))]
        self.assertEqual(labels, [f"native, stage 1, {ranks}" for ranks in ("1 rank", "2 ranks", "10 ranks")])

    def test_what_was_not_measured_is_not_drawn(self):
        memory = [record for record in run_of(2) if record["name"].startswith("memory")]
        self.assertEqual(list(pictures_of(everything(memory))), ["memory"])

    def test_what_tells_subjects_apart_is_said(self):
        drawn = pictures_of(everything(run_of(2), *(run_of(ranks, subject="<b>", model="small") for ranks in (1, 2))))
        svg = drawn["memory"]
        self.assertIn("native, stage 1, model tiny, 2 ranks", svg)
        self.assertIn("&lt;b&gt;, stage 1, model small, 2 ranks", svg)
        for svg in drawn.values():
            xml.fromstring(svg)
            self.assertNotIn("<b>", svg)


class Growth(unittest.TestCase):
    def test_a_power_is_found(self):
        self.assertAlmostEqual(exponent([(x, 3.0 * x**1.5) for x in (1, 2, 5)]), 1.5)
        self.assertIsNone(exponent([(1, 2.0), (2, 4.0), (2, 4.0)]))
        self.assertIsNone(exponent([(1, 0.0), (2, 4.0), (3, 4.0)]))

    def test_by_ranks(self):
        said = list(sentences(everything(run_of(1), run_of(2), run_of(4), run_of(8))))
        self.assertEqual(
            said,
            [
                "native, stage 1: the time of a step goes with (ranks)^-1.00, by 3 figures",  # 8 are oversubscribed
                "native, stage 1: the CPU time of a rank goes with (ranks)^-0.50, by 4 figures",
                "native, stage 1: what all ranks send in a step is 1000 B for each rank beyond the first",
            ],
        )

    def test_two_figures_are_no_fit(self):
        (time, *_) = sentences(everything(run_of(1), run_of(2)))
        self.assertIn("is known at 2 that compare: a fit needs 3", time)

    def test_by_the_model(self):
        runs = []
        for size, model in enumerate(("tiny", "small", "large")):
            run = list(run_of(2, model=model))
            for record in run:
                record["value"] *= 10**size
            runs.append(run)
        self.assertIn(
            "native, stage 1, 2 ranks: the time of a step goes with (bytes of weights)^1.00, by 3 figures",
            list(sentences(everything(*runs))),
        )


class Program(unittest.TestCase):
    def call(self, records):
        with tempfile.TemporaryDirectory() as folder:
            file = made_up.write(Path(folder) / "records.ndjson", records)
            ended = subprocess.run(
                [sys.executable, PROGRAM, file, "--out", Path(folder) / "out"],
                capture_output=True,
                text=True,
                check=False,
            )
            return ended, sorted(path.name for path in Path(folder, "out").glob("*"))

    def test_files_are_written(self):
        ended, files = self.call([*run_of(1), *run_of(2)])
        self.assertEqual((ended.returncode, files), (0, ["memory.svg", "scaling.svg", "step.svg"]))
        self.assertIn("for each rank", self.call([*run_of(2), *run_of(3)])[0].stdout)

    def test_other_records_are_refused(self):
        ended, files = self.call([made_up.record(name="gemm")])
        self.assertEqual((ended.returncode, files), (2, []))
        self.assertIn(
            "expected records of `zerocts bench --subject ..`, got none that a picture is made of", ended.stderr
        )


if __name__ == "__main__":
    unittest.main()
