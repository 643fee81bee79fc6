"""Tests of the client: this file plays the conductor. Run it by python3 -m unittest discover -s conformance/adapters -p
'*_test.py'.
"""

import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import numpy
import zmq
from zmq.auth.thread import ThreadAuthenticator

FAKE_RANK = pathlib.Path(__file__).parent / "tests" / "fake_rank.py"
PATIENCE_S = 20
SECRET = "of the group"
SECONDS_OF_ABANDONING = 5  # of the fake rank


def case_json(**changes):
    group = {
        "lr": 0.1,
        "weight_decay": 0,
        "momentum": 0,
        "beta1": 0.9,
        "beta2": 0.999,
        "eps": 1e-8,
        "dampening": 0,
        "nesterov": False,
    }
    experiment = {
        "parameters": [{"name": "a", "shape": [3], "group": 0}, {"name": "b", "shape": [1, 2], "group": 0}],
        "precision": "fp32",
        "optimizer": "adamw",
        "groups": [group],
        "changes": [],
        "max_norm": 0,
        "clip_epsilon": 1e-6,
        "clip_norm": "2",
        "clip_formula": "min",
        "accumulation": "fp32",
        "reduction": "fp32",
        "world_size": 1,
        "micro_batches": 1,
        "steps": 1,
        "seed": 1,
        "model": None,
        "gradients": "index_coded",
        "batch": 0,
        "roles": {"frozen": [], "without_gradient": [], "tied": [], "buffers": [], "precisions": []},
    }
    case = {
        "stage": 1,
        "plan": "",
        "reduction_order": "any",
        "bucket_cap_bytes": 0,
        "poison_memory": True,
        "read_order": "forward",
        "read_before_step": False,
        "read_twice": False,
        "observe_parameters": True,
        "observe_last_step_only": False,
        "observe_states": True,
        "observe_gradient": False,
        "observe_memory": True,
        "observe_traffic": False,
        "checkpoint": None,
        "experiment": experiment,
    }
    experiment.update({name: value for name, value in changes.items() if name in experiment})
    case.update({name: value for name, value in changes.items() if name in case})
    if case["checkpoint"] is None:
        del case["checkpoint"]
    return json.dumps(case).encode()


def frame(*values):
    return numpy.array(values, "<f4").tobytes()


class Conductor:
    """One ROUTER socket, one rank as a process."""

    def __init__(self, behaviour, conductor_pid=None, protocol=1):
        self._folder = tempfile.TemporaryDirectory()
        self._socket = zmq.Context.instance().socket(zmq.ROUTER)
        self._socket.linger, self._socket.plain_server = 0, True
        address = f"ipc://{self._folder.name}/s"
        self._socket.bind(address)
        environment = dict(
            os.environ,
            ZEROCTS_CONDUCTOR=address,
            ZEROCTS_CONDUCTOR_PID=str(conductor_pid or os.getpid()),
            ZEROCTS_RANK="0",
            ZEROCTS_WORLD_SIZE="1",
            ZEROCTS_GROUP_SECRET=SECRET,
        )
        self.rank = subprocess.Popen(
            [sys.executable, str(FAKE_RANK), behaviour], env=environment, stderr=subprocess.PIPE, text=True
        )
        self.hello, _ = self.receive()
        self.page = pathlib.Path(self._folder.name) / "page"
        self.page.write_bytes(bytes(4096))
        self.send({"type": "welcome", "protocol": protocol, "page": str(self.page), "options": [["fault", "none"]]})

    def send(self, header, *frames):
        self._socket.send_multipart([b"rank-0", json.dumps(header).encode(), *frames])

    def receive(self):
        if not self._socket.poll(PATIENCE_S * 1000):
            raise TimeoutError("the rank says nothing")
        _, header, *frames = self._socket.recv_multipart()
        return json.loads(header), frames

    def run(self, case=None, without_gradient=(), frames=None, **fields):
        self.send(
            {"type": "run", "run": 7, "deadline_ms": 4000, "without_gradient": list(without_gradient), **fields},
            case or case_json(),
            *(frames or [frame(1, 2, 3, 4, 5), frame(6, 7, 8, 9, 10)]),
        )

    def serve(self):
        """Answers put and barrier until something else comes. Returns their names, and that."""
        asked = []
        while True:
            header, frames = self.receive()
            if header["type"] not in ("put", "barrier"):
                return asked, header, frames
            asked.append(header.get("key", "barrier"))
            self.send({"type": "done", "request": header["request"], "code": 0, "text": ""}, b"")

    def stop(self):
        self.send({"type": "stop"})
        return self.rank.wait(PATIENCE_S)

    def close(self):
        self.rank.kill()
        self.rank.communicate()
        self._socket.close()
        self._folder.cleanup()


class ClientTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Lets in who proves the secret; a test fails where a rank does not."""
        authenticator = ThreadAuthenticator(zmq.Context.instance())
        authenticator.start()
        authenticator.configure_plain(passwords={"rank-0": SECRET})
        cls.addClassCleanup(authenticator.stop)

    def start(self, behaviour, **arguments):
        conductor = Conductor(behaviour, **arguments)
        self.addCleanup(conductor.close)
        return conductor

    def test_says_what_the_subject_is_and_that_it_wants_inputs(self):
        conductor = self.start("good")
        hello = conductor.hello
        self.assertEqual((hello["type"], hello["protocol"], hello["rank"], hello["world_size"]), ("hello", 1, 0, 1))
        self.assertEqual((hello["name"], hello["wants_inputs"], hello["pid"]), ("fake", True, conductor.rank.pid))
        self.assertEqual(json.loads(hello["capabilities"])["stages"], [1])
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

    def test_counts_what_each_step_moves_and_not_what_reading_moves(self):
        conductor = self.start("good")
        conductor.run(
            case_json(observe_traffic=True, read_before_step=True, steps=2, micro_batches=2),
            frames=[frame(1, 2, 3, 4, 5)] * 5,
        )
        observed, _ = conductor.receive()
        of_each = [0, 200, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]  # reduce-scatter, all-gather, all-reduce, broadcast
        self.assertEqual(observed["traffic"], [0, *of_each, 1, *of_each])
        conductor.run()
        observed, _ = conductor.receive()
        self.assertNotIn("traffic", observed)

    def resumed(self, behaviour, how, folder=None, **more):
        """What the rank asked for, and the values of each name that it showed, when the checkpoint is of the first of
        two steps.
        """
        folder = folder or self.new_folder()
        conductor = self.start(behaviour)
        case = case_json(
            steps=2, observe_states=False, poison_memory=False, checkpoint={"after_step": 0, "how": how, **more}
        )
        conductor.run(case, frames=[frame(1, 2, 3, 4, 5)] * 3, checkpoint_folder=folder)
        asked, observed, frames = conductor.serve()
        if observed["type"] == "refused":
            return asked, observed
        values, _, _ = frames
        values, shown = numpy.frombuffer(values, "<f4"), {}
        for step, what, _, begin, end in zip(*[iter(observed["records"])] * 5):
            shown.setdefault((step, observed["what"][what]), []).extend(values[: end - begin].tolist())
            values = values[end - begin :]
        return asked, shown

    def new_folder(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return folder.name

    def test_resumes_with_a_subject_that_was_opened_with_other_values(self):
        asked, shown = self.resumed("good", "resume")
        self.assertEqual(asked, ["saved", "barrier", "saved of the next engine"])
        self.assertEqual(
            list(shown), [(-1, "parameter"), (0, "parameter"), (0, "parameter_after_resume"), (1, "parameter")]
        )
        self.assertEqual(shown[0, "parameter_after_resume"], [1, 2, 3, 4, 5])
        _, shown = self.resumed("forgets", "resume")
        self.assertEqual(shown[0, "parameter_after_resume"], [0.5, 0, -0.5, -1, -1.5])

    def test_damages_what_was_saved_before_it_is_loaded(self):
        for what in ("missing", "cut"):
            asked, refused = self.resumed("good", "resume", damage={"what": what, "file": 3})
            self.assertEqual((asked, refused["call"], refused["step"]), (["saved", "barrier", "barrier"], "load", 0))

    def test_saves_and_goes_on(self):
        asked, shown = self.resumed("forgets", "save_only")
        self.assertEqual(asked, ["saved", "barrier"])
        self.assertEqual([step for step, _ in shown], [-1, 0, 1])

    def test_begins_with_what_others_saved(self):
        folder = self.new_folder()
        self.resumed("good", "save_only", folder)
        asked, shown = self.resumed("good", "load", folder, other_world_size=3)
        self.assertEqual(asked, ["saved"])
        self.assertEqual(list(shown), [(0, "parameter_after_resume"), (1, "parameter")])
        self.assertEqual(shown[0, "parameter_after_resume"], [1, 2, 3, 4, 5])
        _, shown = self.resumed("forgets", "load", folder, other_world_size=3)
        self.assertEqual(shown[0, "parameter_after_resume"], [0.5, 0, -0.5, -1, -1.5])

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

    def test_an_exception_is_an_internal_error_of_the_call(self):
        conductor = self.start("raises")
        conductor.run()
        refused, _ = conductor.receive()
        self.assertEqual(
            (refused["call"], refused["step"], refused["code"], refused["text"]),
            ("step", 0, 5, "ZeroDivisionError: one rank too few"),
        )

    def test_what_failed_is_abandoned_after_the_conductor_was_told(self):
        conductor = self.start("abandons")
        texts, seconds = [], []
        for _ in range(2):
            start = time.monotonic()
            conductor.run()
            texts.append(conductor.receive()[0]["text"])
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

    def test_ranks_meet_through_the_conductor(self):
        conductor = self.start("meets")
        conductor.run()
        put, (value,) = conductor.receive()
        self.assertEqual((put["type"], put["run"], value), ("put", 7, frame(6, 7, 8)))
        conductor.send({"type": "done", "request": put["request"], "code": 0, "text": ""}, b"")
        get, _ = conductor.receive()
        self.assertEqual((get["type"], get["key"], get["bytes"], get["deadline_ms"]), ("get", put["key"], 12, 3000))
        conductor.send({"type": "done", "request": get["request"], "code": 4, "text": "rank 5 is missing"}, b"")
        refused, _ = conductor.receive()
        self.assertEqual((refused["call"], refused["code"], refused["text"]), ("accumulate", 4, "rank 5 is missing"))

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
