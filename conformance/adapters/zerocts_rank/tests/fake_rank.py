"""A rank for the tests of the client: fake_rank.py BEHAVIOUR. It trains nothing; it shows what it was given."""

import ctypes
import os
import pathlib
import platform
import socket
import subprocess
import sys
import tempfile
import time

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))
from zerocts_rank import INVALID_ARGUMENT, Bytes, Moved, Refused, StepResult, Subject, Traffic, run  # noqa: E402

HOW = sys.argv[1]


def round_upward():
    """As fesetround of C does it, by the number that the machine has for FE_UPWARD."""
    ctypes.CDLL(None).fesetround({"x86_64": 0x800, "aarch64": 0x400000}[platform.machine()])


if HOW == "rounds when loaded":
    round_upward()
SECONDS_OF_ABANDONING = 5
HOARD = "hoard = bytearray(b'1') * (32 << 20); print(end='1', flush=True); input()"
LOST = f"import os\nif os.fork(): os._exit(0)\nos.setsid(); {HOARD}"


def connected():
    """Two ends of a TCP connection."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        one = socket.create_connection(server.getsockname())
        other, _ = server.accept()
    return one, other


def send(ends, count):
    ends[0].sendall(bytes(count))
    while count > 0:
        count -= len(ends[1].recv(count))


class Fake(Subject):
    name, version = "fake", "1"
    description = " ".join(name for name in os.environ if name.startswith("ZEROCTS_"))  # that it sees
    capabilities = {"stages": [1], "states": ["master"], "models": ["mlp"], "inexact_models": True, "checkpoint": True}
    capabilities |= {"checkpoint_in_window": True, "goes_on_after_refusal": True}
    abandoned, hoard, given = 0, None, 0

    def open(self, case, initial, host):
        self.moved = Traffic(reduce_scatter=Moved(1, 10, 20), broadcast=Moved(0, 0, 5))  # by open
        self.files, self.given = [], 0
        self.host, self.initial = host, [values.copy() for values in initial]
        if HOW == "sends":
            self.ends = connected()
        if HOW in ("hoards", "hoards until asked") or (HOW == "hoards once" and self.hoard is None):
            self.hoard = numpy.ones(32 << 20, numpy.int8)
        if program := {"hoards in another process": HOARD, "hoards in a lost process": LOST}.get(HOW):
            self.hoard = subprocess.Popen(
                [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
            self.hoard.stdout.read(1)
        if HOW == "becomes another":
            os.setuid(65534)
        if HOW == "refuses":
            raise Refused(INVALID_ARGUMENT, f"no options please, got {host.options}")
        if HOW == "abandons":
            raise ValueError(f"abandoned {self.abandoned} times")

    def accumulate(self, step, micro_batch, gradients):
        self.gradients = gradients
        self.given += 1
        if HOW == "writes":
            gradients[1][0] = 1
        if HOW == "writes_around":
            address, _ = gradients[1].__array_interface__["data"]
            ctypes.memset(address, 1, 1)
        self.moved.reduce_scatter.sent_bytes += 100
        if HOW == "meets":
            self.all = self.host.all_gather(gradients[0], [len(gradients[0])])

    def accumulate_batch(self, step, micro_batch, inputs, targets):
        return 100 * inputs.sum() + targets.sum() + micro_batch / 4

    def step(self, step):
        if HOW == "loses another":
            raise ConnectionError("closed by peer")
        if HOW == "raises":
            raise ZeroDivisionError("one rank too few")
        if HOW == "rounds":
            round_upward()
        while HOW == "hangs":
            self.host.progress("all_reduce", "bucket 3")
            time.sleep(0.1)
        if HOW == "leaks":
            self.files.append(open(os.devnull, "rb"))  # noqa: SIM115
        self.moved.all_gather.calls += 1
        if HOW == "sends":
            send(self.ends, 3000)
        if HOW == "writes a file":
            with tempfile.TemporaryFile() as file:
                file.write(bytes(32 << 20))
        return StepResult(2.5, 0.5)

    def parameter(self, p):
        self.moved.all_gather.received_bytes += 1000
        if HOW == "sends":
            send(self.ends, 1000)
        if HOW == "counts":
            return numpy.full(len(self.initial[p]), self.given, "<f4")
        return self.initial[p][:-1] if HOW == "short" else self.initial[p]

    def owned(self, p):
        return [(0, len(self.initial[p]))]

    def state(self, name, p, begin, end):
        return self.gradients[p] if hasattr(self, "gradients") and self.gradients[p] is not None else self.initial[p]

    def memory(self):
        if HOW == "hoards until asked":
            self.hoard = None
        return Bytes(1, 2, 3, 4)

    def save(self, folder):
        numpy.savez(pathlib.Path(folder) / "saved.npz", *self.initial)
        self.host.set("saved", b"")

    def load(self, folder):
        if HOW != "forgets":
            self.initial = list(numpy.load(pathlib.Path(folder) / "saved.npz").values())
        self.host.set("saved", b"")  # a key is set once after each open

    def traffic(self):
        return self.moved

    def is_of_another(self, failed):
        return isinstance(failed, ConnectionError)

    def abandon(self):
        if HOW == "abandons":
            time.sleep(SECONDS_OF_ABANDONING)
        self.abandoned += 1
        if HOW == "good":
            raise AssertionError("nothing failed")


run(Fake())
