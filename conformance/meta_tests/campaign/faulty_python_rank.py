"""A sound rank in Python (the example home_made_zero1.py) that misbehaves as CAMPAIGN_FAULT, CAMPAIGN_PHASE,
CAMPAIGN_RANK and CAMPAIGN_REACHED say, like faulty_subject.c.
usage: faulty_python_rank.py ADAPTERS_FOLDER FAULTY_SUBJECT"""

import ctypes
import os
import resource
import signal
import socket
import stat
import sys
from pathlib import Path

FAULT, PHASE, FAULTY_RANK = (os.environ.get("CAMPAIGN_" + name, "") for name in ("FAULT", "PHASE", "RANK"))
RANK = os.environ.get("ZEROCTS_RANK", os.environ.get("RANK", ""))
SIGNALS = {"crash": signal.SIGSEGV, "abort": signal.SIGABRT, "kill": signal.SIGKILL, "stop": signal.SIGSTOP}
FE_UPWARD = 0x800  # of x86


def lose_sockets():
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
    for fd in range(3, 1024):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                lost = socket.socket(fileno=fd)
                lost.shutdown(socket.SHUT_RDWR)
                lost.detach()
        except OSError:
            pass


def misbehave():
    if FAULT in SIGNALS:
        os.kill(os.getpid(), SIGNALS[FAULT])
    if FAULT == "exit":
        os._exit(0)
    if FAULT == "lost_socket":
        lose_sockets()
    if FAULT == "rounding":
        ctypes.CDLL("libm.so.6").fesetround(FE_UPWARD)
    if FAULT == "flush_to_zero":
        ctypes.CDLL(sys.argv[2]).campaign_flush_to_zero()
    while FAULT == "hang":
        signal.pause()


def at(phase):
    """The fault is due; what is the same in all phases is done."""
    if PHASE != phase or RANK != FAULTY_RANK:
        return False
    Path(os.environ["CAMPAIGN_REACHED"]).write_text(str(os.getpid()))
    misbehave()
    return True


at("load")
sys.path[:0] = [sys.argv[1], sys.argv[1] + "/examples"]
import numpy as np  # noqa: E402
import zerocts_rank  # noqa: E402

sound_run, subjects = zerocts_rank.run, []
zerocts_rank.run = subjects.append
import home_made_zero1  # noqa: E402, F401
from zerocts_rank import link  # noqa: E402

Sound = type(subjects[0])


def after(text):
    """The next message is `text` in place of what should be said."""
    link.Link.send = lambda self, header, *frames: self._socket.send_multipart([text])


class Faulty(Sound):
    def due(self, phase):
        due = at(phase)
        if due and FAULT == "garbage":
            after(b"\x80\xff no header")
        return due

    def open(self, case, initial, host):
        self.due("open")
        super().open(case, initial, host)

    def accumulate(self, step, micro_batch, gradients):
        if self.due("accumulate") and FAULT in ("nan", "disagree"):
            gradients = [gradient.copy() for gradient in gradients]
            for gradient in gradients:
                gradient[:1] = np.nan if FAULT == "nan" else 3
        super().accumulate(step, micro_batch, gradients)

    def step(self, step):
        self.due("step")
        return super().step(step)

    def parameter(self, p):
        due = self.due("reads")
        values = super().parameter(p)
        if due and FAULT in ("nan", "disagree"):
            values = values.copy()
            values[:1] = np.nan if FAULT == "nan" else np.nextafter(values[:1], np.float32(np.inf))
        return values

    def close(self):
        self.due("close")
        super().close()

    def shutdown(self):
        self.due("shutdown")
        super().shutdown()


at("constructor")
subject = Faulty()
if at("hello") and FAULT == "garbage":
    after(b"\x80\xff no header")
sound_run(subject)
