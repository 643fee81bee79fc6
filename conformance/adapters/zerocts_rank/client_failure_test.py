"""The client: what is said of a rank in Python that breaks a rule, fails, or hangs."""

import os
import struct
import subprocess
import sys
import time
import unittest

from tests.conductor import FAKE_RANK, PATIENCE_S, ClientTest, case_json, frame

SECONDS_OF_ABANDONING = 5  # of the fake rank


class Failures(ClientTest):
    def test_says_which_call_changed_the_arithmetic(self):
        conductor = self.start("rounds")
        self.assertNotIn("notes", conductor.hello)
        conductor.run()
        answer, _ = conductor.receive()
        self.assertEqual(answer["type"], "breach")
        self.assertRegex(answer["text"], r"^changed \w+: rounding upward \(0x\w+ -> 0x\w+\), at step 0, in step$")

    def test_says_that_loading_the_subject_changed_the_arithmetic_and_goes_on_without(self):
        conductor = self.start("rounds when loaded")
        self.assertIn("rounding upward", conductor.hello["notes"][0])
        conductor.run()
        observed, _ = conductor.receive()
        self.assertEqual(observed["type"], "observed")

    def test_a_write_to_what_is_given_is_a_breach(self):
        for behaviour, text in (
            (
                "writes",
                "wrote to an array that it is given read-only (assignment destination is read-only), at step 0, "
                "in accumulate",
            ),
            (
                "writes_around",
                "wrote to the gradient of parameter 1, which it is given read-only, at step 0, in accumulate",
            ),
        ):
            conductor = self.start(behaviour)
            conductor.run()
            self.assertEqual(conductor.receive()[0], {"type": "breach", "run": 7, "text": text})
            self.assertEqual(conductor.stop(), 0)

    def test_a_refusal_keeps_its_code_and_sentence(self):
        conductor = self.start("refuses")
        conductor.run()
        refused, _ = conductor.receive()
        self.assertEqual(
            refused,
            {
                "type": "refused",
                "run": 7,
                "call": "open",
                "step": -1,
                "code": 1,
                "text": "no options please, got {'fault': 'none'}",
            },
        )
        self.assertEqual(conductor.stop(), 0)

    def test_no_rank_is_asked_what_it_must_refuse_while_another_opens(self):
        for undeclared, meetings in ((False, []), (True, ["barrier"])):
            conductor = self.start("good")
            conductor.run(case_json(undeclared=undeclared))
            asked, answer, _ = conductor.serve()
            self.assertEqual((asked, answer["type"]), (meetings, "observed"))

    def test_an_exception_is_an_internal_error_of_the_call(self):
        conductor = self.start("raises")
        conductor.run()
        refused, _ = conductor.receive()
        self.assertEqual((refused["call"], refused["step"], refused["code"]), ("step", 0, 5))
        self.assertRegex(refused["text"], r"^ZeroDivisionError: one rank too few \(\w+\.py:\d+, in step\)$")

    def test_what_followed_from_another_rank_is_told_after_its_cause(self):
        conductor = self.start("loses another")
        start = time.monotonic()
        conductor.run()
        refused, _ = conductor.receive()
        self.assertRegex(refused["text"], "^ConnectionError: closed by peer ")
        self.assertGreaterEqual(time.monotonic() - start, 1)

    def test_what_failed_is_abandoned_after_the_conductor_was_told(self):
        conductor = self.start("abandons")
        texts, seconds = [], []
        for _ in range(2):
            start = time.monotonic()
            conductor.run()
            texts.append(conductor.receive()[0]["text"].partition(" (")[0])
            seconds.append(time.monotonic() - start)
        self.assertEqual(texts, ["ValueError: abandoned 0 times", "ValueError: abandoned 1 times"])
        self.assertLess(seconds[0], SECONDS_OF_ABANDONING)

    def test_a_wrong_count_of_values_is_named(self):
        conductor = self.start("short")
        conductor.run()
        refused, _ = conductor.receive()
        self.assertEqual(refused["text"], "ValueError: parameter of parameter 0: expected 3 values, got 2")

    def test_wrong_inputs_are_a_failure_of_the_harness(self):
        conductor = self.start("good")
        conductor.run(frames=[frame(1, 2, 3, 4, 5)])
        failed, _ = conductor.receive()
        self.assertEqual(failed["type"], "failed")
        self.assertIn("expected 2 frames of inputs, got 1", failed["sentence"])
        self.assertNotEqual(conductor.rank.wait(PATIENCE_S), 0)

    def test_another_protocol_is_named(self):
        failed, _ = self.start("good", protocol=2).receive()
        self.assertIn("expected protocol version 1, got 2", failed["sentence"])

    def test_the_page_says_where_a_rank_hangs(self):
        conductor = self.start("hangs")
        conductor.run()
        until = time.monotonic() + PATIENCE_S
        while b"bucket 3" not in (page := conductor.page.read_bytes()) and time.monotonic() < until:
            time.sleep(0.05)
        self.assertEqual(struct.unpack_from("<qi", page, 8), (0, -1))
        texts = [page[begin : begin + 16].split(b"\0")[0] for begin in (32, 64, 128)]
        self.assertEqual(texts, [b"step", b"all_reduce", b"bucket 3"])

    def test_ends_when_the_conductor_is_gone(self):
        stand_in = subprocess.Popen(["sleep", "60"])
        conductor = self.start("hangs", conductor_pid=stand_in.pid)
        conductor.run()
        stand_in.kill()
        stand_in.wait()
        self.assertEqual(conductor.rank.wait(PATIENCE_S), 124)
        self.assertIn("the conductor is gone; it stands at step 0, in step", conductor.rank.stderr.read())

    def test_without_a_conductor_it_says_how_it_is_started(self):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("ZEROCTS_")}
        rank = subprocess.run(
            [sys.executable, str(FAKE_RANK), "good"],
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        self.assertEqual(
            (rank.returncode, rank.stderr),
            (
                2,
                "rank: expected ZEROCTS_CONDUCTOR in the environment, got none; start it with zerocts "
                'check --subject exec:"COMMAND"\n',
            ),
        )


if __name__ == "__main__":
    unittest.main()
