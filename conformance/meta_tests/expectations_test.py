#!/usr/bin/env python3
"""An expectations file excuses the failure that it names, and nothing else; what no longer holds is said and fails the
run.
usage: expectations_test.py ZEROCTS MUTANTS_FOLDER"""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PATIENCE = 300  # seconds, on a machine with other work
CLAUSE, MUTANT = "C-ZERO-010", "M20"
SMALL = ("--launcher", "threads", "--cases", "8", "--precision", "fp32")


class Expectations(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.mutant = f"plugin:{MUTANTS}/{MUTANT}.so"
        cls.exit_code, cls.report, cls.records = cls.check(cls.mutant, CLAUSE, "--ranks", "3", *SMALL)
        cls.failure = next(record for record in cls.records if record["record"] == "failure")
        (cls.folder / "saved").mkdir()
        cls.case = cls.folder / "saved" / "case.json"
        cls.case.write_text(json.dumps(cls.failure["case"]))

    @classmethod
    def check(cls, subject, *arguments):
        ended = subprocess.run(
            [ZEROCTS, "check", "--subject", subject, "--out", "run", *arguments],
            cwd=cls.folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        log = cls.folder / "run" / "results.ndjson"
        records = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        return ended.returncode, ended.stdout + ended.stderr, records

    def entry(self, **changes):
        message = max(re.split(r"\d", self.failure["sentence"]), key=len).strip()
        return {
            "clause": CLAUSE,
            "when": {"world_sizes": [3]},
            "result": "fail",
            "message": message,
            "issue": "https://example.org/issues/1",
            "date": "2026-11-22",
            "case": "saved/case.json",
            **changes,
        }

    def check_with(self, entries, *arguments, subject=None, about="full"):
        (self.folder / "known.json").write_text(json.dumps({"subject": about, "entries": entries}))
        return self.check(
            subject or self.mutant, "--expect", "known.json", *SMALL, *(arguments or (CLAUSE, "--ranks", "3"))
        )

    def states(self, records):
        return [record["state"] for record in records if record["record"] == "expectation"]

    def junit(self):
        text = (self.folder / "run" / "junit.xml").read_text()
        return {
            name: int(count)
            for name, count in re.findall(r'(\w+)="(\d+)"', text.split("<testsuites", 1)[1].split(">", 1)[0])
        }

    def test_without_a_file_it_is_a_failure(self):
        self.assertEqual(self.exit_code, 1, self.report)
        self.assertIn("\nnot conformant: 1 of 1 clause failed (exit code 1)", self.report)

    def test_what_is_expected_is_an_exception(self):
        exit_code, report, records = self.check_with([self.entry()])
        self.assertEqual(exit_code, 0, report)
        self.assertIn("\nconformant with 1 exception (C-ZERO-010): 1 of ", report)
        self.assertIn("Known failures:", report)
        self.assertIn("https://example.org/issues/1", report)
        self.assertEqual(self.states(records), ["held"])
        self.assertEqual([r["result"] for r in records if r["record"] == "configuration"], ["expected_failure"])
        counts = self.junit()
        self.assertEqual((counts["tests"], counts["failures"], counts["errors"], counts["skipped"]), (1, 0, 0, 1))

    def expect_stale(self, outcome, reason):
        exit_code, report, records = outcome
        self.assertEqual(exit_code, 5, report)
        self.assertIn("\nstale expectations (exit code 5)", report)
        self.assertIn(reason, " ".join(report.split()))
        self.assertIn("stale", self.states(records))
        self.assertGreater(self.junit()["failures"], 0)

    def test_listed_failure_that_passes_is_stale(self):
        self.expect_stale(self.check_with([self.entry()], subject="full"), "its case passes")

    def test_another_message_is_stale(self):
        self.expect_stale(self.check_with([self.entry(message="the moon is full")]), "its case fails otherwise")

    def test_another_ending_is_stale(self):
        self.expect_stale(self.check_with([self.entry(result="crash")]), "its case fails otherwise")

    def test_elsewhere_a_failure_is_a_failure(self):
        exit_code, report, records = self.check_with([self.entry()], CLAUSE, "--ranks", "2,3")
        self.assertEqual(exit_code, 1, report)
        self.assertEqual(self.states(records), ["held"])

    def test_what_a_run_leaves_out_is_not_judged(self):
        exit_code, report, records = self.check_with([self.entry()], CLAUSE, "--ranks", "1", subject="full")
        self.assertEqual(exit_code, 0, report)
        self.assertEqual(self.states(records), ["not judged"])

    def test_release_is_a_condition(self):
        exit_code, report, records = self.check_with([self.entry(when={"versions": ["99.1"]})])
        self.assertEqual(exit_code, 1, report)
        self.assertEqual(self.states(records), ["not judged"])

    def test_mistakes_in_the_file_get_one_sentence(self):
        table = [
            ([self.entry(clause="C-ZERO-999")], "C-ZERO-999"),
            ([self.entry(colour="red")], "known.json: file.entries[0].colour: unknown field"),
            ([self.entry(when={"rank": [1]})], "known.json: file.entries[0].when.rank: unknown field"),
            ([self.entry(result="sad")], "sad"),
            (
                [self.entry(message="")],
                "file.entries[0].message: expected a part of the failure's sentence, got nothing",
            ),
            ([self.entry(case="saved/none.json")], "none.json"),
            ([self.entry(clause="C-ZERO-001")], "expected a case of C-ZERO-001, got one of C-ZERO-010"),
            ([self.entry(when={"world_sizes": [2]})], 'expected a case that its "when" covers'),
        ]
        for entries, words in table:
            with self.subTest(words):
                exit_code, report, _ = self.check_with(entries)
                self.assertEqual(exit_code, 2, report)
                self.assertIn(words, report)
        self.assertEqual(self.check_with([], about="another subject")[0], 2)
        self.assertIn(
            "expected a file that can be read", self.check(self.mutant, "--expect", "nowhere.json", CLAUSE)[1]
        )

    def test_fixing_needs_a_file_and_a_whole_run(self):
        for arguments, words in (
            ((), "expected --expect FILE"),
            (("--expect", "x.json", CLAUSE), "got 1 chosen clause"),
            (("--expect", "x.json", "--ranks", "3"), "got world size 3 only"),
        ):
            exit_code, report, _ = self.check(self.mutant, "--fix-expectations", *arguments)
            self.assertEqual(exit_code, 2, report)
            self.assertIn(words, report)

    def test_fixed_file_makes_the_same_run_conformant_and_goes_stale_with_the_fault(self):
        whole = ("--launcher", "threads", "--tier", "smoke", "--expect", "fixed.json")
        for _ in range(4):  # a failure that was expected uncovers what lay behind it
            exit_code, report, _ = self.check(self.mutant, *whole, "--fix-expectations")
            self.assertIn("fixed.json is rewritten", report)
            if exit_code == 0:
                break
        exit_code, report, _ = self.check(self.mutant, *whole)
        self.assertEqual(exit_code, 0, report)
        self.assertRegex(report, r"conformant with \d+ exception")
        self.assertEqual(self.check("full", *whole)[0], 5)
        self.assertIn("0 kept", self.check("full", *whole, "--fix-expectations")[1])
        self.assertEqual(json.loads((self.folder / "fixed.json").read_text())["entries"], [])
        self.assertEqual(self.check("full", *whole)[0], 0)


if __name__ == "__main__":
    ZEROCTS, MUTANTS = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main()
