#!/usr/bin/env python3
"""The page of the history in a headless Chromium: charts, tooltips, keys, filters, light and dark, a phone.

usage: page_test.py [--pictures FOLDER] [unittest arguments]      pictures of the page are kept there
exit 77: there is no chromium here
"""

import sys
import tempfile
import unittest
from pathlib import Path

import numpy

from for_test import browser, made_up
from history import histories_of
from page.document import html_of
from series import series_of

PLANTED_AT = 24
PICTURES = None


def records_with_a_planted_regression():
    noise = numpy.random.default_rng(1)
    records = []
    for machine in ("aa11", "bb22"):
        for stage in range(4):
            values = noise.normal(0.02 * (stage + 1), 0.0002, 40)
            if (stage, machine) == (2, "aa11"):
                values[PLANTED_AT:] *= 1.12
            bound = {"name": "bytes moved once", "value": 0.018 * (stage + 1)}
            more = {"case": {"stage": stage}, "machine": machine, "bound": bound}
            records += made_up.history(list(map(float, values)), name=f"step_time/stage={stage}/ranks=2", **more)
    exact = [1 << 30] * 20 + [(1 << 30) + 4096] * 20
    records += made_up.history(exact, name="held", unit="byte", direction="equal", bound=None)
    records.append(made_up.failed(name="crashed"))
    return records


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.path = Path(cls.enterClassContext(tempfile.TemporaryDirectory())) / "history.html"
        histories = histories_of(series_of(records_with_a_planted_regression()), with_otava=False)
        cls.path.write_text(html_of(histories, "By one vote."), encoding="utf-8")
        cls.browser = cls.enterClassContext(browser.Browser())

    def opened(self, name, **how):
        self.browser.open(self.path, **how)
        if PICTURES:
            self.browser.picture(PICTURES / f"{name}.png")
        return self.browser.value_of

    def test_every_run_is_drawn_inside_its_chart(self):
        value_of = self.opened("light")
        self.assertEqual(value_of("document.querySelectorAll('.series svg').length"), 10)
        self.assertEqual(value_of("document.querySelectorAll('.series .run').length"), 9 * 40 + 1)
        outside = """[...document.querySelectorAll('.run, svg text, .change line')].filter(mark => {
          const box = mark.closest('svg').getBoundingClientRect(), at = mark.getBoundingClientRect();
          return at.left < box.left - 1 || at.right > box.right + 1
            || at.top < box.top - 1 || at.bottom > box.bottom + 1;
        }).map(mark => mark.outerHTML)"""
        self.assertEqual(value_of(outside), [])

    def test_planted_regression_is_seen(self):
        value_of = self.opened("light")
        changes = "[...document.querySelectorAll('.change')].map(mark => mark.getAttribute('class') + mark.textContent)"
        self.assertEqual(len(value_of(changes)), 2, value_of(changes))
        self.assertRegex(value_of(changes)[1], r"change worse alone\+12")
        self.assertEqual(value_of(changes)[0], "change worse agreed+4,096")
        agreed, planted = value_of("[...document.querySelectorAll('tbody')[0].rows].map(row => row.innerText)")
        self.assertIn("native/held", agreed)
        for words in ("worse", "native/step_time/stage=2/ranks=2", made_up.commit_id(PLANTED_AT)[:12]):
            self.assertIn(words, planted)
        self.assertGreater(value_of("document.querySelector('.change.alone line').getBoundingClientRect().height"), 100)

    def test_tooltip_under_the_pointer(self):
        value_of = self.opened("light")
        where = "document.querySelector('.run').getBoundingClientRect()"
        x, y = (value_of(f"{where}.{axis} + 2") for axis in "xy")
        self.assertTrue(value_of("document.getElementById('tip').hidden"))
        self.browser.move_to(x, y)
        self.assertFalse(value_of("document.getElementById('tip').hidden"))
        self.assertIn("failed: a rank crashed", value_of("document.getElementById('tip').innerText"))

    def test_keys_walk_over_the_runs(self):
        value_of = self.opened("light")
        value_of("document.querySelectorAll('.series svg')[1].focus()")
        self.browser.press("End")
        self.assertIn(made_up.commit_id(39)[:12], value_of("document.getElementById('tip').innerText"))
        self.browser.press("ArrowLeft")
        said = value_of("document.getElementById('tip').innerText")
        for words in (f"commit {made_up.commit_id(38)[:12]}, 2026-02-11", "1,073,745,920 byte", "by GNU 12.2.0"):
            self.assertIn(words, said)
        if PICTURES:
            self.browser.picture(PICTURES / "tooltip.png")
        self.browser.press("Escape")
        self.assertTrue(value_of("document.getElementById('tip').hidden"))

    def test_all_can_be_reached_by_tab(self):
        value_of = self.opened("light")
        reached = set()
        for _ in range(40):
            self.browser.press("Tab")
            reached.add(value_of("document.activeElement.id || document.activeElement.tagName"))
        self.assertLessEqual({"words", "machine", "changed", "A", "svg", "SUMMARY"}, reached)

    def test_filters(self):
        value_of = self.opened("light")
        shown = "[...document.querySelectorAll('.series')].filter(card => card.offsetParent).length"
        for change, expected in [
            ("words.value = 'STAGE=2 time'", 2),
            ("machine.value = 'bb22'", 1),
            ("words.value = ''", 4),
            ("machine.value = ''; changed.checked = true", 2),
            ("words.value = 'nothing'", 0),
        ]:
            value_of(f"{change}; words.dispatchEvent(new Event('input', {{bubbles: true}}))")
            self.assertEqual(value_of(shown), expected, change)
        self.assertFalse(value_of("document.getElementById('nothing').hidden"))

    def test_dark(self):
        background = "getComputedStyle(document.body).backgroundColor"
        self.assertEqual(self.opened("light")(background), "rgb(246, 247, 249)")
        self.assertEqual(self.opened("dark", dark=True)(background), "rgb(14, 17, 22)")

    def test_a_phone_needs_no_scrolling_sideways(self):
        value_of = self.opened("phone", width=400, height=1800, touch=True)
        self.assertEqual(value_of("document.documentElement.scrollWidth"), 400)
        self.assertGreater(value_of("document.querySelector('.series svg').getBoundingClientRect().width"), 300)
        text_height = value_of("document.querySelector('svg text').getBoundingClientRect().height")
        self.assertGreater(text_height, 9)


if __name__ == "__main__":
    if browser.CHROMIUM is None:
        print("skipped: expected chromium, got none; install Debian's chromium")
        sys.exit(77)
    if sys.argv[1:2] == ["--pictures"]:
        PICTURES = Path(sys.argv[2])
        del sys.argv[1:3]
    unittest.main()
