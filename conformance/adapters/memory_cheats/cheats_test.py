"""Wherever a trainer keeps what it does not report, C-ZERO-007 finds it: cheats_test.py ZEROCTS."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from cheat import PLACES

ZEROCTS = sys.argv.pop(1)
CHEAT = pathlib.Path(__file__).parent / "cheat.py"
CASE = pathlib.Path(__file__).parent / "momentum.json"


def replay(place):
    """Its exit code and what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        command = f"{sys.executable} {CHEAT} {place}"
        ended = subprocess.run(
            [ZEROCTS, "replay", CASE, "--subject", f"exec:{command}", "--launcher", "local"],
            capture_output=True,
            text=True,
            cwd=folder,
            check=False,
        )
    return ended.returncode, ended.stdout + ended.stderr


class Cheats(unittest.TestCase):
    def test_an_honest_one_passes(self):
        code, text = replay("Nowhere")
        self.assertEqual(code, 0, text)

    def test_each_place_is_found(self):
        for place in PLACES:
            if place == "Nowhere":
                continue
            with self.subTest(place):
                code, text = replay(place)
                self.assertEqual(code, 1, text)
                self.assertIn("as the kernel counted", text)


if __name__ == "__main__":
    unittest.main()
