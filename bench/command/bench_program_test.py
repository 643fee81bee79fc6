#!/usr/bin/env python3
"""`zerocts bench` as a user types it: tables, records, what it refuses. No time is judged.

usage: bench_program_test.py ZEROCTS SLOWER_PLUGIN [PYTHON]    a Python with numpy and pyzmq
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ZEROCTS, SLOWER = sys.argv[1:3]
PYTHON = sys.argv[3] if len(sys.argv) > 3 else ""
ADAPTERS = Path(__file__).resolve().parents[2] / "conformance" / "adapters"
MOMENTS = ("--launcher", "threads", "--rounds", "1", "--steps", "2")
BRIEFLY = ("--model", "tiny", *MOMENTS)
# A comparison ends with its twelfth pair, on a busy machine as well: the budget is no deadline of a test.
UNHURRIED = ("--budget", "900", "--least-effect", "100")
TWO_SIDES = ("--model", "tiny", "--launcher", "threads", "--steps", "1", *UNHURRIED)
MOST_RANKS = 64


def memory_bytes():
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def bench(*arguments):
    return subprocess.run([ZEROCTS, "bench", *arguments], capture_output=True, text=True, check=False, timeout=1000)


class SubjectBenchTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.file = str(Path(self.folder, "records.ndjson"))

    def records(self):
        return [json.loads(line) for line in Path(self.file).read_text(encoding="utf-8").splitlines()]

    def refused(self, sentence, *arguments):
        ended = bench(*arguments)
        self.assertEqual(ended.returncode, 2, ended.stderr + ended.stdout)
        self.assertRegex(ended.stderr.splitlines()[-1], sentence)

    def test_native_stands_beside_itself_without_sharding_and_the_bound(self):
        ended = bench("--stage", "2", *BRIEFLY, "--out", self.file)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        for row in ("native, stage 2", "the same, stage 0", "bound: its bytes moved once"):
            self.assertRegex(ended.stdout, rf"(?m)^{row} +2 +\d+\.\d+ ")
        self.assertRegex(ended.stdout, r"native, stage 2 +open +\d")
        self.assertEqual(len(re.findall(r"before_step|after_step", ended.stdout)), 4)
        self.assertRegex(ended.stderr, r"part 1 of 1, round 1 of 1, about 0 s left")
        times = [record for record in self.records() if record["name"].startswith("step_time/")]
        self.assertEqual([record["subject"] for record in times], ["native", "native", "bound"])
        self.assertEqual(times[0]["bound"]["name"], "memory")
        self.assertEqual(len(times[0]["samples"]), 2)
        sent = {
            record["case"]["stage"]: record["value"]
            for record in self.records()
            if record["name"].startswith("sent_bytes/collective=reduce_scatter")
        }
        self.assertGreater(sent[2], 0)
        held = {
            (record["case"]["stage"], record["case"]["part"]): record["value"]
            for record in self.records()
            if record["name"].startswith("memory_reported/") and record["case"]["point"] == "after_step"
        }
        self.assertLess(held[2, "optimizer"], 0.6 * held[0, "optimizer"])
        self.assertEqual(held[2, "weights"], held[0, "weights"])
        heaps = [record["value"] for record in self.records() if record["name"].startswith("memory_heap/")]
        self.assertEqual(len(heaps), 2 * 3)  # stages 2 and 0, three points
        self.assertGreater(min(heaps), 0)

    def test_subjects_take_turns_in_the_stages_that_they_declare(self):
        ended = bench("--subject", "native", "--subject", "minimal", "--stage", "1,2", *BRIEFLY, "--out", self.file)
        self.assertEqual(ended.returncode, 0, ended.stderr + ended.stdout)
        second = ended.stdout.split("on 2 ranks, stage 2")[1]
        self.assertRegex(ended.stdout, r"(?m)^native, minimal on 2 ranks, stage 1, ")
        self.assertRegex(ended.stdout, r"(?m)^native on 2 ranks, stage 2, ")
        for row in ("native, stage 1", "minimal, stage 1", "the same, 1 rank"):
            self.assertRegex(ended.stdout, rf"(?m)^{row} +\d +\d+\.\d+ ")
        self.assertNotIn("minimal", second)
        self.assertIn("first/it", ended.stdout)
        times = [record for record in self.records() if record["name"].startswith("step_time/")]
        self.assertEqual(
            [(record["subject"], record["case"]["stage"]) for record in times],
            [("native", 1), ("native", 0), ("minimal", 1), ("minimal", 1), ("bound", 1)]
            + [("native", 2), ("native", 0), ("bound", 2)],
        )
        self.refused("expected subjects that differ", "--subject", "native", "--subject", "native")
        self.refused(
            r"expected a stage that minimal declares \(1\)",
            "--subject",
            "native",
            "--subject",
            "minimal",
            "--stage",
            "2",
        )

    def test_the_bound_moves_what_the_subject_is_arranged_to(self):
        self.assertEqual(
            bench("--subject", "native,precision=bf16", "--stage", "1", *BRIEFLY, "--out", self.file).returncode, 0
        )
        bound = next(record for record in self.records() if record["subject"] == "bound")
        self.assertEqual(bound["case"]["precision"], "bf16")

    def test_a_model_is_what_plan_takes_for_one(self):
        numbers = "gpt:layers=1,width=32,heads=2,vocab=64,context=16"
        ended = bench("--stage", "1", "--train", *MOMENTS, "--model", numbers, "--out", self.file)
        self.assertEqual(ended.returncode, 0, ended.stderr + ended.stdout)
        named = {record["name"].split("/")[0]: record for record in self.records() if record["subject"] == "native"}
        self.assertEqual(named["step_time"]["case"]["model"], numbers)
        per_step = named["tokens_per_second"]["value"] * named["step_time"]["value"]
        self.assertAlmostEqual(per_step, 2 * 16, places=6)  # ranks, each of which trains one sequence

        shapes = Path(self.folder, "shapes.json")
        shapes.write_text('[{"name": "w", "shape": [501, 3]}]', encoding="utf-8")
        for model, name in ((str(shapes), "shapes"), ("1503", "1503")):
            Path(self.file).unlink()
            ended = bench("--stage", "0", *MOMENTS, "--model", model, "--out", self.file)
            self.assertEqual(ended.returncode, 0, ended.stderr + ended.stdout)
            (weights,) = (
                record
                for record in self.records()
                if record["name"].startswith("memory_reported/")
                and (record["case"]["point"], record["case"]["part"]) == ("after_step", "weights")
            )
            self.assertEqual(weights["value"], 4 * 1503)
            self.assertEqual(weights["case"]["model"], name)
        self.refused("--train: expected a model that can be trained, got 1503", "--model", "1503", "--train")
        frozen = Path(self.folder, "frozen.json")
        frozen.write_text('[{"name": "w", "shape": [5], "frozen": true}]', encoding="utf-8")
        self.refused(r'expected tensors that are all updated, got "w", which is frozen', "--model", str(frozen))

    def test_training_tells_tokens_per_second(self):
        ended = bench("--stage", "1", "--train", *BRIEFLY, "--out", self.file)
        self.assertEqual(ended.returncode, 0, ended.stderr + ended.stdout)
        self.assertEqual(len(re.findall(r"(?m) \d+ tokens per second(;|$)", ended.stdout)), 2)
        records = self.records()[: len(self.records()) // 2]
        named = {record["name"].split("/")[0]: record for record in records}
        tokens, seconds = named["tokens_per_second"], named["step_time"]
        self.assertEqual(tokens["case"]["work"], "training")
        per_step = tokens["value"] * seconds["value"]
        self.assertAlmostEqual(per_step, round(per_step), places=6)
        self.assertGreater(per_step, 0)
        if os.cpu_count() >= 2:
            self.assertRegex(ended.stdout, r"; \d+ % of collectives' time beside forward and backward")
            self.assertTrue(0 <= named["hidden_share_of_collectives"]["value"] < 1)
        self.refused("--train: expected a subject that declares the model gpt", "--subject", "minimal", "--train")

    @unittest.skipUnless(PYTHON, "there is no Python with numpy and pyzmq")
    def test_a_rank_in_python_tells_times_and_memory_and_no_path_is_recorded(self):
        locally = ["local" if word == "threads" else word for word in BRIEFLY]
        command = f"PYTHONPATH={ADAPTERS} exec {PYTHON} {ADAPTERS}/examples/home_made_zero1.py"
        ended = bench("--subject", f"exec:{command}", *locally, "--out", self.file)
        self.assertEqual(ended.returncode, 0, ended.stderr + ended.stdout)
        self.assertRegex(ended.stdout, r"(?m)^exec:home-made-zero1, stage 1 +2 +\d+\.\d+ .* not given")
        self.assertRegex(ended.stdout, r"(?m)^the same, 1 rank +1 +\d+\.\d+ ")
        self.assertRegex(ended.stdout, r"(?m)^exec:home-made-zero1, stage 1 +open +\d")
        self.assertNotIn(str(ADAPTERS), Path(self.file).read_text(encoding="utf-8"))

    def test_a_second_run_is_added_with_equal_bytes(self):
        for _ in range(2):
            self.assertEqual(bench("--stage", "1", *BRIEFLY, "--out", self.file).returncode, 0)
        values = {}
        for record in self.records():
            if record["direction"] == "equal":
                values.setdefault((record["subject"], record["name"]), []).append(record["value"])
        self.assertGreater(len(values), 10)
        for key, both in values.items():
            self.assertEqual((len(both), len(set(both))), (2, 1), key)

    def test_more_ranks_than_cores_are_said_to_be(self):
        cores = os.cpu_count()
        ranks = min(cores + 1, MOST_RANKS)
        ended = bench("--stage", "1", "--ranks", str(ranks), *BRIEFLY, "--out", self.file)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(f"OVERSUBSCRIBED: {ranks} ranks on" in ended.stdout, ranks > cores)
        self.assertEqual({record["oversubscribed"] for record in self.records()}, {ranks > cores})

    def test_what_a_subject_cannot_do_is_said_and_recorded(self):
        ended = bench("--stage", "1", "--plan", "no-such-plan", *BRIEFLY, "--out", self.file)
        self.assertEqual(ended.returncode, 3, ended.stdout)
        self.assertRegex(ended.stdout, r"native, stage 1 +2 cannot: unsupported: .*no-such-plan")
        first = self.records()[0]
        self.assertIsNone(first["value"])
        self.assertIn("no-such-plan", first["error"])

    def test_a_device_reaches_the_subject(self):
        one_stage = ("--stage", "1", *BRIEFLY)
        self.assertEqual(bench("--subject", "native,device=sim", *one_stage).returncode, 0)
        ended = bench("--subject", "native,device=nonsense", *one_stage)
        self.assertEqual(ended.returncode, 3, ended.stdout)
        self.assertRegex(ended.stdout, r"native,device=nonsense, stage 1 +2 cannot: .*nonsense")

    def test_ranks_that_crash_or_hang_are_exit_code_4(self):
        """As below check; a hang is waited for as long as --deadline says."""
        plugin = f"plugin:{Path(SLOWER).with_name('faulty.so')}"
        for fault, words in (("crash", "crash: rank 1 was killed"), ("hang", "hang: rank 1")):
            faulty = f"{plugin},fault={fault}"
            locally = ("--model", "tiny", "--rounds", "1", "--stage", "1", "--deadline", "2")
            ended = bench("--subject", faulty, *locally)
            self.assertEqual(ended.returncode, 4, ended.stdout + ended.stderr)
            self.assertIn(f"cannot: {words}", ended.stdout)
            ended = bench("compare", plugin, faulty, "--model", "tiny", "--deadline", "2")
            self.assertEqual(ended.returncode, 4, ended.stdout + ended.stderr)
            self.assertRegex(ended.stderr, f"(?m)^zerocts: {words}")

    def test_a_budget_is_kept(self):
        ended = bench("compare", "minimal", "native", "--model", "tiny", "--budget", "1")
        self.assertIn(ended.returncode, (1, 6), ended.stdout + ended.stderr)  # counts may differ
        self.assertRegex(ended.stdout, r"(?m)^step/.* \d+ too noisy$")
        self.assertRegex(ended.stdout, r"(?m)^step/.*: \d+ pairs in 1 s, expected at least 12; raise --budget$")

    def test_bad_input_is_a_sentence(self):
        self.refused(r"zerocts: expected a subject of .*, got \"nobody\"", "--subject", "nobody")
        self.refused(r"expected a stage that minimal declares \(1\)", "--subject", "minimal", "--stage", "3")
        self.refused(r"--stage: ", "--stage", "7")
        self.refused(r"--model: expected tiny, small, .*gpt2-xl, .*gpt:.*, got 'xl'", "--model", "xl")
        self.refused(r"native,overlap: expected key=value", "compare", "native", "native,overlap")
        self.refused(r"expected two subjects or two files of records", "compare", "native", __file__)
        self.refused(r"line 1: expected a record of a benchmark", "compare", __file__, __file__)
        self.refused(r"--model: expected tiny.*got 'xl'", "compare", "nobody", "nobody", "--model", "xl")
        self.refused(r"/nowhere.so: expected a shared library", "--subject", "plugin:/nowhere.so")
        for option, value in (("--ranks", "0"), ("--ranks", "65"), ("--rounds", "0"), ("--nonsense", "1")):
            self.refused(f"^zerocts: .*{option}.*see zerocts bench --help", option, value)

    def test_files_that_are_no_records_are_a_sentence(self):
        self.assertEqual(bench("--stage", "1", *BRIEFLY, "--out", self.file).returncode, 0)
        good = Path(self.file).read_bytes()
        first, rest = good.split(b"\n", 1)
        another_version = re.sub(rb'"version": ?1\b', b'"version":99', good, count=1)
        self.assertNotEqual(another_version, good)
        for what, content in (
            ("empty", b""),
            ("torn", good[: len(first) + 40]),
            ("binary", b"\0\xff\xfe\n"),
            ("foreign", b'{"context": {}, "benchmarks": []}\n' + good),
            ("mixed", good + b'{"name": "x"}\n' + rest),
            ("broken", first + b"\n\n" + rest),
            ("nested", b"[" * 100_000 + b"\n"),
            ("of another version", another_version),
            ("negative", re.sub(rb'"value": ?[1-9]', b'"value":-1', good, count=1)),
            ("with escape codes", re.sub(rb'"name": ?"', b'"name":"\\\\u001b[31m', good, count=1)),
        ):
            bad = Path(self.folder, "bad.ndjson")
            bad.write_bytes(content)
            with self.subTest(what):
                self.refused(r"^zerocts: \S*bad.ndjson[^\x1b]*expected[^\x1b]*$", "compare", self.file, str(bad))
                self.refused(r"^zerocts: \S*bad.ndjson.*expected", "export", str(bad), "--to", "dart", "--out", "x")
        missing = str(Path(self.folder, "missing.ndjson"))
        self.refused(r"missing.ndjson: expected a file of records that can be read", "compare", self.file, missing)
        self.refused(r"expected a file of benchmark records", "export", missing, "--to", "dart", "--out", "x")

    def test_a_file_that_takes_no_records_is_refused_before_anything_is_measured(self):
        foreign = Path(self.folder, "foreign.ndjson")
        foreign.write_text("{}\n", encoding="utf-8")
        for path in (foreign, self.folder, "/nowhere/records.ndjson"):
            ended = bench("--stage", "1", *BRIEFLY, "--out", str(path))
            self.assertEqual(ended.returncode, 2, ended.stdout)
            self.assertRegex(ended.stderr, r"^zerocts: .*expected a (file of records|record)[^\n]*\n$")

    @unittest.skipIf(os.cpu_count() >= MOST_RANKS, "it has a core for each rank")
    def test_compare_takes_no_more_ranks_than_cores(self):
        ranks = str(MOST_RANKS)
        self.refused(
            rf"--ranks {ranks}: expected at most \d+, as many", "compare", "native", "native", "--ranks", ranks
        )

    @unittest.skipIf(memory_bytes() > 300e9, "it has room for all ranks")
    def test_ranks_that_memory_has_no_room_for_are_refused(self):
        self.refused(r"--ranks 64 of --model gpt2-124m: expected at most", "--model", "gpt2-124m", "--ranks", "64")

    def test_compare_keeps_the_ratio_of_every_pair(self):
        ended = bench("compare", "native", "native,overlap=on", *TWO_SIDES, "--out", self.file)
        self.assertIn(ended.returncode, (0, 1, 6), ended.stderr + ended.stdout)  # what it says of times is luck
        (record,) = self.records()
        self.assertEqual(record["subject"], "native,overlap=on")
        self.assertEqual(record["name"], "ratio/step/model=tiny/ranks=2/stage=1/than=native")
        self.assertGreaterEqual(len(record["samples"]), 12)
        self.assertTrue(record["interval"]["low"] <= record["value"] <= record["interval"]["high"])
        self.refused("--rounds: expected none beside compare", "compare", "native", "native", "--rounds", "2")

    def test_compare_holds_counts_by_equality(self):
        ended = bench("compare", f"plugin:{SLOWER}", f"plugin:{SLOWER},slower=1", *TWO_SIDES)
        self.assertIn("9 figures of bytes and counts are equal", ended.stdout, ended.stderr)
        self.assertRegex(ended.stdout, r"step/model=tiny/ranks=2/stage=1 .* \d+ (same|faster|too noisy|REGRESSION)")
        ended = bench("compare", "native,stage=1", "native,stage=0", *TWO_SIDES, "--markdown")
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assertRegex(ended.stdout, r"\| step/.*bytes that the subject says it holds \| .* \*\*DIFFERENT\*\* \|")

    def test_a_leak_is_a_regression(self):
        """It loses 1 % of the parameters in each step; its bytes and counts are equal."""
        for launcher in ("threads", "local"):
            ended = self.compared_long_enough("leaks=1", launcher)
            self.assertEqual(ended.returncode, 1, ended.stderr + ended.stdout)
            self.assertRegex(ended.stdout, r": gained per step .* REGRESSION")
            self.assertRegex(ended.stdout, r"B LEAKS: against A, a rank of it holds .*, [12]\.\d % of its share")
        rounds = ("--model", "tiny", "--launcher", "threads", "--rounds", "3", "--steps", "8", "--stage", "1")
        ended = bench("--subject", f"plugin:{SLOWER},leaks=5", *rounds)
        self.assertRegex(
            ended.stdout, r"stage 1: LEAKS: a rank holds more and more, \d+\.\d+ kB in each step, \d+\.\d %"
        )
        self.assertEqual(ended.stdout.count("LEAKS"), 2)  # the same without sharding as well; not native

    def test_equal_sides_do_not_leak(self):
        self.assertNotIn("LEAKS", self.compared_long_enough("slower=1", "local").stdout)

    def compared_long_enough(self, option, launcher):
        """For a middle and an end of the steps."""
        pair = ("--model", "tiny", "--launcher", launcher, "--steps", "20", *UNHURRIED)
        return bench("compare", f"plugin:{SLOWER},slower=0", f"plugin:{SLOWER},{option}", *pair)

    def test_compare_reads_files(self):
        self.assertEqual(bench("--stage", "1", *BRIEFLY, "--out", self.file).returncode, 0)
        other = Path(self.folder, "other.ndjson")
        records = self.records()
        for record in records:
            record["machine"]["fingerprint"] = "another"
        other.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        self.refused(r"expected times of one machine", "compare", self.file, str(other))
        counts = [record for record in records if record["direction"] == "equal"]
        other.write_text("".join(json.dumps(record) + "\n" for record in counts), encoding="utf-8")
        self.assertEqual(bench("compare", self.file, str(other)).returncode, 0)
        counts[0]["value"] += 1
        other.write_text("".join(json.dumps(record) + "\n" for record in counts), encoding="utf-8")
        self.assertEqual(bench("compare", self.file, str(other)).returncode, 1)
        for option in (("--least-effect", "1"), ("--budget", "10"), ("--model", "tiny"), ("--out", str(other))):
            self.refused(rf"{option[0]}: expected none beside two files", "compare", self.file, str(other), *option)
        told = bench("compare", self.file, self.file, "--confidence", "0.9").stdout
        self.assertIn("intervals hold together with 90 %", told)

    def test_records_become_a_page_and_files_of_other_tools(self):
        self.assertEqual(bench("--stage", "1", *BRIEFLY, "--out", self.file).returncode, 0)
        page = Path(self.folder, "history.html")
        ended = bench("history", self.file, "--page", str(page), "--without-otava")
        if "jsonschema" in ended.stderr:
            self.skipTest(ended.stderr)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("step_time/", page.read_text(encoding="utf-8"))
        ended = bench("pictures", self.file, "--out", self.folder)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("memory.svg", ended.stdout)
        ended = bench("export", self.file, "--to", "bencher", "--out", self.folder)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        for written in ended.stdout.splitlines():
            json.loads(Path(written).read_text(encoding="utf-8"))
        self.refused(r"invalid choice: 'nobody'", "export", self.file, "--to", "nobody", "--out", self.folder)
        self.refused(r":1: expected a benchmark record as JSON", "history", __file__, "--page", str(page))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
