"""The client: what a rank in Python says and shows, and what it is given."""

import json
import os
import unittest

import numpy
from tests.conductor import ClientTest, case_json, frame

ORDINARY_USER = 65534 if os.geteuid() == 0 else None  # None: it is one


class Shows(ClientTest):
    def test_says_what_the_subject_is_and_that_it_wants_inputs(self):
        conductor = self.start("good")
        hello = conductor.hello
        self.assertEqual((hello["type"], hello["protocol"], hello["rank"], hello["world_size"]), ("hello", 1, 0, 1))
        self.assertEqual((hello["name"], hello["wants_inputs"], hello["pid"]), ("fake", True, conductor.rank.pid))
        self.assertEqual(json.loads(hello["capabilities"])["stages"], [1])
        self.assertEqual(hello["description"], "", "variables that the subject sees")
        self.assertEqual(conductor.stop(), 0)

    def test_shows_each_tensor_with_its_place(self):
        conductor = self.start("good")
        conductor.run()
        observed, (values, scalars, losses) = conductor.receive()
        self.assertEqual((observed["type"], observed["run"], observed["owned"]), ("observed", 7, [[0, 3], [0, 2]]))
        records = [tuple(observed["records"][i : i + 5]) for i in range(0, len(observed["records"]), 5)]
        parameter, master = observed["what"].index("parameter"), observed["what"].index("master")
        self.assertEqual(
            records,
            [
                (step, what, p, 0, numel)
                for step in (-1, 0)
                for what in (parameter, master)
                for p, numel in ((0, 3), (1, 2))
            ],
        )
        shown = numpy.frombuffer(values, "<f4")
        self.assertEqual(list(shown[:15]), [1, 2, 3, 4, 5] * 3)
        self.assertTrue(numpy.isnan(shown[15:]).all(), "gradients are poisoned after accumulate")
        self.assertEqual(
            (list(numpy.frombuffer(scalars, "<f4")), losses, observed["scalar_steps"]), ([2.5, 0.5], b"", [0])
        )
        self.assertEqual(observed["reported_bytes"], [1, 2, 3, 4])
        self.assertLess(observed["process_growth_bytes"], 1 << 20)

    def test_sees_how_much_is_held_whatever_the_subject_says(self):
        for behaviour in ("hoards", "hoards in another process", "hoards in a lost process", "hoards until asked"):
            with self.subTest(behaviour):
                observed = self.start(behaviour).observed()
                self.assertEqual(observed["reported_bytes"], [1, 2, 3, 4])
                self.assertAlmostEqual(observed["process_growth_bytes"], 32 << 20, delta=4 << 20)

    def test_sees_what_an_earlier_case_left(self):
        conductor = self.start("hoards once")
        for left in (0, 32 << 20, 32 << 20):
            observed = conductor.observed()
            self.assertAlmostEqual(observed["process_left_bytes"], left, delta=4 << 20)
            self.assertAlmostEqual(observed["process_growth_bytes"], 32 << 20, delta=4 << 20)

    def test_sees_what_passes_through_files(self):
        for behaviour, count in (("good", 0), ("writes a file", 32 << 20), ("sends", 0)):
            with self.subTest(behaviour):
                observed = self.start(behaviour).observed()
                self.assertAlmostEqual(observed["process_file_bytes"], count, delta=1 << 20)

    def test_sees_it_as_an_ordinary_user(self):
        observed = self.start("hoards in a lost process", user=ORDINARY_USER).observed()
        self.assertEqual(observed["unread"], [])
        self.assertAlmostEqual(observed["process_growth_bytes"], 32 << 20, delta=4 << 20)

    @unittest.skipIf(ORDINARY_USER is None, "needs a user who can become another")
    def test_names_what_it_cannot_read(self):
        observed = self.start("becomes another").observed()
        self.assertEqual(observed["unread"], ["/proc/PID/io"])

    def test_tells_what_the_process_holds_at_points_of_the_run(self):
        first = ["open", "before_step", "after_step"]
        for steps, names in ((2, first), (3, [*first, "middle", "end"])):
            with self.subTest(steps):
                self.expect_points(steps, names)

    def expect_points(self, steps, names):
        conductor = self.start("good")
        conductor.run(case_json(observe_profile=True, steps=steps), frames=[frame(1, 2, 3, 4, 5)] * (steps + 1))
        _, observed, _ = conductor.serve()
        points = observed["memory_points"]
        self.assertEqual([point["point"] for point in points], names)
        for point in points:
            self.assertEqual(point["reported_bytes"], [1, 2, 3, 4])
            self.assertGreater(point["held_bytes"], 1 << 20)
            self.assertGreaterEqual(point["peak_bytes"], point["held_bytes"])
            self.assertTrue(1 << 16 < point["heap_bytes"] < point["peak_bytes"], point)

    def test_counts_what_each_call_leaves(self):
        steps = 20
        for behaviour in ("good", "leaks"):
            with self.subTest(behaviour):
                conductor = self.start(behaviour)
                case = case_json(observe_resources=True, observe_parameters=False, observe_states=False, steps=steps)
                conductor.run(case, frames=[frame(1, 2, 3, 4, 5)] * (steps + 1))
                _, observed, _ = conductor.serve()
                rows = observed["resources"]
                self.assertEqual([row[:2] for row in rows[:2]], [[0, "accumulate"], [0, "step"]])
                self.assertEqual(len(rows), 2 * steps)
                growth = numpy.subtract(rows[-1][5:], rows[23][5:]).tolist()
                self.assertEqual([rows[-1][i] for i in (3, 4)], [-1, -1])  # the host's alloc
                leaks = behaviour == "leaks"
                self.assertEqual(growth[0] >= 8, leaks, growth)
                self.assertEqual(growth[3:], [8 if leaks else 0, 0])
                grown = {what for what, _, more in observed.get("grown", []) if more == 9}
                self.assertEqual(grown, {"BufferedReader", "FileIO"} if leaks else set())

    def test_counts_what_each_step_moves_and_not_what_reading_moves(self):
        conductor = self.start("good")
        conductor.run(
            case_json(observe_traffic=True, read_before_step=True, steps=2, micro_batches=2),
            frames=[frame(1, 2, 3, 4, 5)] * 5,
        )
        asked, observed, _ = conductor.serve()
        self.assertEqual(set(asked), {"barrier"})
        of_each = [0, 200, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]  # reduce-scatter, all-gather, all-reduce, broadcast
        self.assertEqual(observed["traffic"], [0, *of_each, 1, *of_each])
        self.assertEqual(observed["seen_traffic"], [0, 0, 0, 1, 0, 0])
        conductor.run()
        observed, _ = conductor.receive()
        self.assertNotIn("traffic", observed)
        self.assertNotIn("seen_traffic", observed)

    def test_sees_what_passes_whatever_the_subject_says(self):
        conductor = self.start("sends")
        conductor.run(case_json(observe_traffic=True, steps=2), frames=[frame(1, 2, 3, 4, 5)] * 3)
        _, observed, _ = conductor.serve()
        self.assertEqual(observed["seen_traffic"], [0, 3000, 3000, 1, 3000, 3000])

    def test_a_gradient_that_is_not_there_is_none(self):
        conductor = self.start("good")
        conductor.run(
            case_json(poison_memory=False), without_gradient=[[0, 0, 0]], frames=[frame(1, 2, 3, 4, 5), frame(9, 10)]
        )
        _, (values, _, _) = conductor.receive()
        self.assertEqual(list(numpy.frombuffer(values, "<f4")[15:]), [1, 2, 3, 9, 10])

    def test_bfloat16_gradients_are_rounded_to_even(self):
        conductor = self.start("good")
        conductor.run(
            case_json(poison_memory=False, precision="bf16"),
            frames=[frame(1, 2, 3, 4, 5), frame(1 + 2**-8, 1 + 3 * 2**-8, -1 - 2**-9, 1e-45, 0)],
        )
        _, (values, _, _) = conductor.receive()
        self.assertEqual(list(numpy.frombuffer(values, "<f4")[15:]), [1, 1 + 2**-6, -1, 0, 0])

    def test_batches_of_a_model_come_as_tokens_and_losses_go_back(self):
        conductor = self.start("good")
        sizes = {"vocab": 9, "context": 2, "embedding": 1, "hidden": []}
        case = case_json(model={"mlp": sizes}, gradients="model", batch=3, micro_batches=2)
        tokens = numpy.array([1, 2, 3, 4, 5, 6, 7, 8, 9], "<i4").tobytes()
        conductor.run(case, frames=[frame(1, 2, 3, 4, 5), tokens, tokens])
        _, (_, _, losses) = conductor.receive()
        self.assertEqual(list(numpy.frombuffer(losses, "<f8")), [2124, 2124.25])
        conductor.run(case, frames=[frame(1, 2, 3, 4, 5), tokens[:-4], tokens])
        failed, _ = conductor.receive()
        self.assertIn("in a frame of inputs, got 8 numbers", failed["sentence"])

    def test_reports_steps_and_stops_when_it_is_told_to(self):
        conductor = self.start("good")
        case = case_json(report_steps=True, observe_last_step_only=True, steps=4)
        conductor.run(case, frames=[frame(1, 2, 3, 4, 5)] * 5)
        for step, answer in enumerate((b"go on", b"stop")):
            stepped, (scalars, losses) = conductor.receive()
            self.assertEqual((stepped["type"], stepped["run"], stepped["step"]), ("stepped", 7, step))
            self.assertEqual((stepped["parameters"], losses), ([], b""))
            self.assertEqual(list(numpy.frombuffer(scalars, "<f4")), [2.5, 0.5])
            self.assertGreater(stepped["nanoseconds"], 0)
            conductor.send({"type": "done", "request": stepped["request"], "code": 0, "text": ""}, answer)
        observed, _ = conductor.receive()
        self.assertEqual((observed["type"], observed["scalar_steps"]), ("observed", [0, 1]))
        self.assertEqual(set(observed["records"][::5]), {1}, "what the rank holds where it was stopped")

    def test_ranks_meet_through_the_conductor(self):
        conductor = self.start("meets")
        conductor.run()
        stored, (value,) = conductor.receive()
        self.assertEqual((stored["type"], stored["run"], value), ("set", 7, frame(6, 7, 8)))
        conductor.send({"type": "done", "request": stored["request"], "code": 0, "text": ""}, b"")
        get, _ = conductor.receive()
        self.assertEqual((get["type"], get["key"], get["bytes"], get["deadline_ms"]), ("get", stored["key"], 12, 3000))
        conductor.send({"type": "done", "request": get["request"], "code": 4, "text": "rank 5 is missing"}, b"")
        refused, _ = conductor.receive()
        self.assertEqual((refused["call"], refused["code"], refused["text"]), ("accumulate", 4, "rank 5 is missing"))


if __name__ == "__main__":
    unittest.main()
