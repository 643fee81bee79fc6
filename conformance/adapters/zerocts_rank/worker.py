"""The life of a rank: hello, welcome, one case after the other, stop."""

import functools
import gc
import json
import os
import select
import sys
import threading
import time

import zmq

from . import fork_server, rank_threads, variables
from .case import Case
from .call_refused import CallRefused
from .case_run import ARITHMETIC, CaseRun
from .connections import Carried
from .counted_memory import keep_descendants
from .host import Host
from .inputs import Inputs
from .link import PROTOCOL, Link
from .memory_growth import MemoryGrowth
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
    known = {**os.environ, **variables.taken}
    for names in IDENTITIES:
        if all(name in known for name in names):
            rank, world_size = (int(known[name]) for name in names)
            return rank, world_size
    fail(
        "rank: expected ZEROCTS_RANK and ZEROCTS_WORLD_SIZE or the variables of torchrun, Open MPI, Slurm or "
        "PMI, got none; let a launcher start it"
    )


class Watchdog(threading.Thread):
    """Ends the process when the conductor is gone, or when a case of a rank outlasts its deadline by far."""

    def __init__(self, conductor_pid, ranks):
        super().__init__(daemon=True)
        self.ranks = [CaseDeadline() for _ in range(ranks)]
        try:
            self._conductor = os.pidfd_open(conductor_pid)  # a pid may be given to another process
        except ProcessLookupError:
            self._end("the conductor is gone")

    def run(self):
        while True:
            time.sleep(TICK_S)
            if select.select([self._conductor], [], [], 0)[0]:
                self._end("the conductor is gone")
            late = [rank for rank in self.ranks if time.monotonic() > rank.give_up_at]
            if late:
                self._end("a case has outlasted its deadline by far", late[0].page)

    def _end(self, why, page=None):
        page = page or self.ranks[0].page
        last_position = f"; it stands {page.last_position}" if page else ""
        print(f"rank {os.getpid()}: {why}{last_position}; it ends itself", file=sys.stderr, flush=True)
        os._exit(WATCHDOG_EXIT_CODE)


class CaseDeadline:
    """When the watchdog gives up a rank's case."""

    def __init__(self):
        self.page = None
        self.case_ends()

    def case_begins(self, seconds):
        self.give_up_at = time.monotonic() + 2 * MOST_STRETCH * seconds + 10

    def case_ends(self):
        self.give_up_at = float("inf")


class Worker:
    """One rank; `ranks_here`: of this process."""

    def __init__(self, subject, link, rank, world_size, deadline, ranks_here):
        self._subject, self._link, self._rank, self._world_size = subject, link, rank, world_size
        self._deadline, self._ranks_here = deadline, ranks_here
        self._page, self._options = None, {}
        self._carried = self._growth = None

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
                    self._spare_garbage_collector()
            elif header["type"] == "stop":
                return
            # Any other message is an answer that came too late.

    def _spare_garbage_collector(self):
        """What stands between two cases stays: hundreds of thousands of a framework's objects. Some frameworks have
        them visited for each engine, and a case that counts what calls leave behind for each call.
        """
        if self._rank == 0 or self._ranks_here == 1:
            gc.collect()
            gc.freeze()

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
        if notes := self._notes_of_start():
            hello["notes"] = notes
        self._link.send(hello)

    def _notes_of_start(self):
        notes = []
        if change := ARITHMETIC.restore(ARITHMETIC.default):
            notes.append(
                f"loading the subject changed {change}, as a library that was linked with -ffast-math does; it "
                "was restored"
            )
        if self._ranks_here > 1 and self._rank == 0:
            notes.append("the ranks are threads, and what they send stays in memory: no transport is judged")
        return notes

    def _welcome(self, welcome):
        if welcome["protocol"] != PROTOCOL:
            raise ValueError(
                f"expected protocol version {PROTOCOL}, got {welcome['protocol']}; use client and conductor of "
                "one release"
            )
        self._page = self._deadline.page = Page(welcome["page"])
        rank_threads.TURN.show_on(self._page)
        self._options = dict(welcome["options"])
        self._carried = Carried()
        self._growth = MemoryGrowth(self._carried)

    def _run(self, header, frames):
        if self._page is None:
            raise ValueError("expected a welcome before the first run")
        run, seconds = header["run"], header["deadline_ms"] / 1000
        self._deadline.case_begins(seconds)
        case = Case(frames[0])
        if case.observes("resources") or case.observes("memory"):
            self._spare_garbage_collector()
        host = Host(
            self._link,
            self._page,
            self._rank,
            self._world_size,
            self._options,
            run,
            seconds * SUBJECTS_SHARE,
            self._ranks_here,
        )
        inputs, folder = Inputs(case, header["without_gradient"], frames[1:]), header.get("checkpoint_folder", "")
        steps = Steps(host, self._deadline, seconds)
        case_run = CaseRun(self._subject, case, inputs, host, self._page, self._carried, self._growth, steps, folder)
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
        self._deadline.case_ends()


def run(subject):
    """Speaks for `subject` until the conductor says stop. Returns when it did; else the process ends with another exit
    code.
    """
    gc.freeze()  # what was imported is no garbage
    gc.enable()
    taken = variables.taken
    if "ZEROCTS_FORK_SERVER" in taken:
        fork_server.serve(taken["ZEROCTS_FORK_SERVER"], int(taken["ZEROCTS_CONDUCTOR_PID"]))
        variables.take()
    for name in ("ZEROCTS_CONDUCTOR", "ZEROCTS_CONDUCTOR_PID", "ZEROCTS_GROUP_SECRET"):
        if name not in taken:
            fail(
                f"rank: expected {name} in the environment, got none; start it with zerocts check --subject "
                'exec:"COMMAND"'
            )
    rank, world_size = identity()
    ranks_here = int(taken.get("ZEROCTS_RANK_THREADS", 1))
    keep_descendants()
    watchdog = Watchdog(int(taken["ZEROCTS_CONDUCTOR_PID"]), ranks_here)
    watchdog.start()
    context = zmq.Context()
    serve = functools.partial(serve_rank, context, world_size, watchdog)
    try:
        if ranks_here == 1:
            serve(subject, rank)
        else:
            rank_threads.run(subject, ranks_here, context, serve)
    finally:
        context.term()


def serve_rank(context, world_size, watchdog, subject, rank):
    link = Link(context, variables.taken["ZEROCTS_CONDUCTOR"], rank, variables.taken["ZEROCTS_GROUP_SECRET"])
    ranks_here = len(watchdog.ranks)
    deadline = watchdog.ranks[rank if ranks_here > 1 else 0]
    try:
        worker = Worker(subject, link, rank, world_size, deadline, ranks_here)
        worker.serve()
        worker.shut_down()
    except Exception as failed:  # not the subject's doing: those are refusals
        link.send({"type": "failed", "sentence": f"rank {rank}: {type(failed).__name__}: {failed}"})
        link.close()
        raise
    link.close()
