"""A conductor of one rank, for tests of the client: what it says is said by the test."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy
import zmq
from zmq.auth.thread import ThreadAuthenticator

FAKE_RANK = pathlib.Path(__file__).parent / "fake_rank.py"
PATIENCE_S = 120  # on a machine with other work
SECRET = "of the group"


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
        "observe_profile": False,
        "observe_resources": False,
        "report_steps": False,
        "undeclared": False,
        "checkpoint": None,
        "extra_calls": [],
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

    def __init__(self, behaviour, conductor_pid=None, protocol=1, user=None):
        self._folder = tempfile.TemporaryDirectory()
        self._socket = zmq.Context.instance().socket(zmq.ROUTER)
        self._socket.linger, self._socket.plain_server = 0, True
        address = f"ipc://{self._folder.name}/s"
        self._socket.bind(address)
        self._open_to(user)
        environment = dict(
            os.environ,
            ZEROCTS_CONDUCTOR=address,
            ZEROCTS_CONDUCTOR_PID=str(conductor_pid or os.getpid()),
            ZEROCTS_RANK="0",
            ZEROCTS_WORLD_SIZE="1",
            ZEROCTS_GROUP_SECRET=SECRET,
        )
        self.rank = subprocess.Popen(
            [sys.executable, str(FAKE_RANK), behaviour], env=environment, stderr=subprocess.PIPE, text=True, user=user
        )
        self.hello, _ = self.receive()
        self.page = pathlib.Path(self._folder.name) / "page"
        self.page.write_bytes(bytes(4096))
        self._open_to(user)
        self.send({"type": "welcome", "protocol": protocol, "page": str(self.page), "options": [["fault", "none"]]})

    def _open_to(self, user):
        """What stands in the folder."""
        if user is not None:
            for path in (self._folder.name, *pathlib.Path(self._folder.name).iterdir()):
                os.chown(path, user, -1)

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

    def observed(self):
        """What the rank shows of a case."""
        self.run()
        return self.receive()[0]

    def serve(self):
        """Answers set and barrier until something else comes. Returns their names, and that."""
        asked = []
        while True:
            header, frames = self.receive()
            if header["type"] not in ("set", "barrier"):
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
