"""Which faults machine_mutants.py plants, and how it counts them."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import machine_mutants  # noqa: E402

TEXT = """#include "a.hpp"
/// Sums a + b.
int Sum(int a, int b) {
  if (a < 3 && !done) throw std::runtime_error(Text(a + b));  // a > b
  Log("a + b == 7");
  Add(a, b);
  return a + b;
}
"""


class MachineMutants(unittest.TestCase):
    def test_change_one_place_of_code(self):
        changed = set()
        for place in machine_mutants.places(TEXT):
            before, after = TEXT.splitlines(), machine_mutants.planted(TEXT, place).splitlines()
            (line,) = [n for n, (was, now) in enumerate(zip(before, after)) if was != now]
            changed.add((line + 1, after[line].strip()))
        self.assertEqual(changed, {(5, ";"), (6, ";"), (7, "return a - b;")})

    def test_know_comparisons_numbers_and_negations(self):
        text = "  while (i < 10 && !done) ++i;\n"
        changed = {machine_mutants.planted(text, place).strip() for place in machine_mutants.places(text)}
        expected = {"i <= 10 && !done) ++i;", "i < 11 && !done) ++i;", "i < 10 || !done) ++i;", "i < 10 && done) ++i;"}
        self.assertEqual(changed, {*(f"while ({rest}" for rest in expected), "while (i < 10 && !done) --i;"})

    def test_are_those_of_the_seed(self):
        files = {"a.cpp": TEXT, "b.cpp": TEXT}
        every = machine_mutants.drawn(files, 1, 100)
        self.assertEqual(machine_mutants.drawn(files, 1, 3), every[:3])
        self.assertEqual(len(every), 6)
        self.assertTrue(any(machine_mutants.drawn(files, seed, 100) != every for seed in range(2, 6)))

    def test_are_of_the_plugin(self):
        names = [
            "impl/comm/group.cpp",
            "impl/comm/comm_test.cpp",
            "impl/device/cuda/a.cpp",
            "impl/README.md",
            "bench/a.cpp",
        ]
        self.assertEqual(machine_mutants.of_the_plugin(names), names[:1])

    def test_are_counted_by_what_became_of_them(self):
        row = {"file": "a.cpp", "line": 7, "was": "a + b", "now": "a - b"}
        outcomes = ["found", "found", "found", "survived", "same code", "does not compile"]
        percent, text = machine_mutants.summary([row | {"outcome": outcome} for outcome in outcomes])
        self.assertEqual(percent, 75)
        self.assertIn("survived a.cpp:7\n  a + b\n  a - b", text)
        self.assertTrue(text.endswith("6 drawn: 3 found, 1 survived, 1 same code, 1 does not compile; found 75 % of 4"))


if __name__ == "__main__":
    unittest.main()
