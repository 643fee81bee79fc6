"""The life of a rank: hello, welcome, one case after the other, stop."""

import gc
import json
import os
import select
import sys
import threading
import time

from . import fork_server
from .case import Case
from .case_run import ARITHMETIC, CallRefused, CaseRun
from .connections import Carried
from .host import Host
from .inputs import Inputs
from .link import PROTOCOL, Link
from .page import Page
from .steps import Steps

# Who this rank is, by the first launcher that says it.
IDENTITIES = [
    ("ZEROCTS_RANK", "ZEROCTS_WORLD_SIZE"),
    ("RANK", "WORLD_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("SLURM_PROCID", "SLURM_NTASKS"),
    ("PMI_RANK", "PMI_SIZE"),
]
TICK_S = 0.2
WATCHDOG_EXIT_CODE = 124
MOST_STRETCH = 10  # of a deadline by the conductor, which leaves out time in which ranks waited for a core
SUBJECTS_SHARE = 0.75  # of a case's deadline: the subject says who is missing before the conductor gives up


def fail(sentence):
    print(sentence, file=sys.stderr)
    sys.exit(2)


def identity():
    for names in IDENTITIES:
        if all(name in os.environ for name in names):
            rank, world_size = (int(os.environ[name]) for name in names)
            return rank, world_size
    fail(
        "rank: expected ZEROCTS_RANK and ZEROCTS_WORLD_SIZE or the variables of torchrun, Open MPI, Slurm or "
        "PMI, got none; let a launcher start it"
    )


def spare_garbage_collector():
    """What stands after a first case stays: hundreds of thousands of a framework's objects, which some frameworks have
    visited for each engine.
    """
    gc.collect()
    gc.freeze()


class Watchdog(threading.Thread):
    """Ends the process when the conductor is gone, or when a case outlasts its deadline by far."""

    def __init__(self, conductor_pid):
        super().__init__(daemon=True)
        self.page = None
        try:
            self._conductor = os.pidfd_open(conductor_pid)  # a pid may be given to another process
        except ProcessLookupError:
            self._end("the conductor is gone")
        self.case_ends()

    def case_begins(self, seconds):
        self._give_up_at = time.monotonic() + 2 * MOST_STRETCH * seconds + 10

    def case_ends(self):
        self._give_up_at = float("inf")

    def run(self):
        while True:
            time.sleep(TICK_S)
            if select.select([self._conductor], [], [], 0)[0]:
                self._end("the conductor is gone")
            if time.monotonic() > self._give_up_at:
                self._end("a case has outlasted its deadline by far")

    def _end(self, why):
        last_position = f"; it stands {self.page.last_position}" if self.page else ""
        print(f"rank {os.getpid()}: {why}{last_position}; it ends itself", file=sys.stderr, flush=True)
        os._exit(WATCHDOG_EXIT_CODE)


class Worker:
    def __init__(self, subject, link, rank, world_size, watchdog):
        self._subject, self._link, self._rank, self._world_size, self._watchdog = (
            subject,
            link,
            rank,
            world_size,
            watchdog,
        )
        self._page, self._options = None, {}
        self._carried = None

    def serve(self):
        """Until stop."""
        self._say_hello()
        while True:
            header, frames = self._link.receive()
            if header["type"] == "welcome":
                self._welcome(header)
            elif header["type"] == "run":
                self._run(header, frames)
                if header["run"] == 1:
                    spare_garbage_collector()
            elif header["type"] == "stop":
                return
            # Any other message is an answer that came too late.

    def shut_down(self):
        """What comes after it is the interpreter's end, in which a framework's threads and destructors run."""
        self._stand("shutdown")
        self._subject.shutdown()
        self._stand("exit")

    def _stand(self, call):
        if self._page:
            self._page.enter(call, -1)

    def _say_hello(self):
        s = self._subject
        hello = {
            "type": "hello",
            "protocol": PROTOCOL,
            "rank": self._rank,
            "world_size": self._world_size,
            "pid": os.getpid(),
            "name": s.name,
            "version": s.version,
            "description": s.description,
            "capabilities": json.dumps(s.capabilities),
            "wants_inputs": True,
        }
        if change := ARITHMETIC.restore(ARITHMETIC.default):
            hello["notes"] = [
                f"loading the subject changed {change}, as a library that was linked with -ffast-math does; it "
                "was restored"
            ]
        self._link.send(hello)

    def _welcome(self, welcome):
        if welcome["protocol"] != PROTOCOL:
            raise ValueError(
                f"expected protocol version {PROTOCOL}, got {welcome['protocol']}; use client and conductor of "
                "one release"
            )
        self._page = self._watchdog.page = Page(welcome["page"])
        self._options = dict(welcome["options"])
        self._carried = Carried()

    def _run(self, header, frames):
        if self._page is None:
            raise ValueError("expected a welcome before the first run")
        run, seconds = header["run"], header["deadline_ms"] / 1000
        self._watchdog.case_begins(seconds)
        case = Case(frames[0])
        host = Host(self._link, self._page, self._rank, self._world_size, self._options, run, seconds * SUBJECTS_SHARE)
        inputs, folder = Inputs(case, header["without_gradient"], frames[1:]), header.get("checkpoint_folder", "")
        steps = Steps(host, self._watchdog, seconds)
        case_run = CaseRun(self._subject, case, inputs, host, self._page, self._carried, steps, folder)
        failed = False
        try:
            answer = case_run.run().message(run, self._rank)
        except CallRefused as refused:
            failed = True
            answer = (
                {
                    "type": "refused",
                    "run": run,
                    "call": refused.call,
                    "step": refused.step,
                    "code": refused.code,
                    "text": refused.text,
                },
                [],
            )
        if case_run.breaches:
            answer = ({"type": "breach", "run": run, "text": case_run.breaches[0]}, [])
        self._page.clear()
        self._link.send(answer[0], *answer[1])
        if failed:
            self._subject.abandon()  # after the answer, so that the cause arrives before what follows from it
        self._watchdog.case_ends()


def run(subject):
    """Speaks for `subject` until the conductor says stop. Returns when it did; else the process ends with another exit
    code.
    """
    gc.freeze()  # what was imported is no garbage
    gc.enable()
    if "ZEROCTS_FORK_SERVER" in os.environ:
        fork_server.serve(os.environ["ZEROCTS_FORK_SERVER"])
    for name in ("ZEROCTS_CONDUCTOR", "ZEROCTS_CONDUCTOR_PID", "ZEROCTS_GROUP_SECRET"):
        if name not in os.environ:
            fail(
                f"rank: expected {name} in the environment, got none; start it with zerocts check --subject "
                'exec:"COMMAND"'
            )
    rank, world_size = identity()
    watchdog = Watchdog(int(os.environ["ZEROCTS_CONDUCTOR_PID"]))
    watchdog.start()
    link = Link(os.environ["ZEROCTS_CONDUCTOR"], rank, os.environ["ZEROCTS_GROUP_SECRET"])
    try:
        worker = Worker(subject, link, rank, world_size, watchdog)
        worker.serve()
        worker.shut_down()
    except Exception as failed:  # not the subject's doing: those are refusals
        link.send({"type": "failed", "sentence": f"rank {rank}: {type(failed).__name__}: {failed}"})
        link.close()
        raise
    link.close()
