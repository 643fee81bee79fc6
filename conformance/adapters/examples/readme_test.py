"""The adapter that conformance/guide/python.md shows is the one that the tests run."""

import pathlib
import unittest

PAGE = pathlib.Path(__file__).parents[2] / "guide/python.md"
EXAMPLE = pathlib.Path(__file__).parent / "home_made_zero1.py"


class ReadmeTest(unittest.TestCase):
    def test_shows_exactly_the_example(self):
        blocks = [block.split("```")[0] for block in PAGE.read_text().split("```python\n")[1:]]
        self.assertIn(EXAMPLE.read_text(), blocks)


if __name__ == "__main__":
    unittest.main()
