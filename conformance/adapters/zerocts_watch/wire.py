"""The way of records to the judge: a head in JSON, then the bits of tensors, each with its length before it."""

import ctypes
import functools
import itertools
import json
import os
import select
import socket
import struct
import sys
import threading
import time
import traceback

import torch
import torch.distributed as dist

from zerocts_watch.sampling import IS_COMPILED

LENGTHS = struct.Struct("<II")
TIMED = 8  # one call of a frequent hook in so many
SECONDS = 30  # a judge that takes no record for so long is gone


def bits_of(tensors):
    """The bytes of tensors with one dimension, one behind the other."""
    here = [tensor.contiguous().cpu() for tensor in tensors if tensor.numel()]
    return b"".join(ctypes.string_at(tensor.data_ptr(), tensor.numel() * tensor.element_size()) for tensor in here)


def frame(head, bits=b""):
    text = json.dumps(head, separators=(",", ":")).encode()
    return LENGTHS.pack(len(text), len(bits)) + text + bits


class Wire:
    def __init__(self, path):
        self.path, self.pid, self.socket, self.is_off = path, os.getpid(), None, False
        self.lock, self.last, self.answer = threading.Lock(), (0, 1), b""
        self.spent, self.inside = 0.0, set()  # spent: seconds of CPU in hooks; inside: threads that are in one

    def send(self, kind, tensors=(), **head):
        """A fork of a process that has sent something sends nothing: it would be taken for its parent."""
        if self.pid != os.getpid() and self.socket is None:
            self.pid = os.getpid()
        if self.is_off or self.pid != os.getpid():
            return
        rank, world = self.rank_and_world()
        record = frame({"kind": kind, "rank": rank, "world": world, **head}, bits_of(tensors))
        try:
            with self.lock:
                if self.socket is None:
                    self.socket = self.connect(rank, world)
                self.socket.sendall(record)
        except OSError as error:
            self.switch_off(f"the judge does not answer ({error})")

    def rank_and_world(self):
        """Also once the process group is gone."""
        if dist.is_available() and dist.is_initialized():
            self.last = dist.get_rank(), dist.get_world_size()
        return self.last

    def connect(self, rank, world):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(SECONDS)
        connection.connect(self.path)
        start = {"kind": "start", "rank": rank, "world": world, "pid": self.pid, "torch": torch.__version__}
        start["compiled"] = IS_COMPILED
        script = sys.argv[0] if sys.argv else ""
        connection.sendall(frame({**start, "host": socket.gethostname(), "script": script}))
        self.arrivals = select.poll()
        self.arrivals.register(connection, select.POLLIN)
        return connection

    def answers(self):
        """What the judge has sent: [{"every": .., "from": ..}]."""
        if self.socket is None or self.pid != os.getpid():
            return []
        if not any(event & select.POLLIN for _, event in self.arrivals.poll(0)):
            return []
        self.answer += self.socket.recv(4096)
        *lines, self.answer = self.answer.split(b"\n")
        return [json.loads(line) for line in lines]

    def switch_off(self, reason):
        if not self.is_off:
            self.is_off = True
            print(
                f"zerocts: rank {self.last[0]} is not watched any more: {reason}; training goes on",
                file=sys.stderr,
                flush=True,
            )

    def guarded(self, hook, is_frequent=False):
        """`hook`, whose errors switch the witness off in place of ending the user's run. Of frequent ones some calls
        are timed for all."""
        calls = itertools.count()

        @functools.wraps(hook)
        def call(*args, **kwargs):
            if self.is_off or torch.compiler.is_compiling():
                return None
            thread = threading.get_ident()
            is_outer = thread not in self.inside
            weight = is_outer * (TIMED * (next(calls) % TIMED == 0) if is_frequent else 1)
            self.inside.add(thread)
            begin = time.thread_time() if weight else 0.0
            try:
                return hook(*args, **kwargs)
            except Exception as error:
                place = traceback.extract_tb(error.__traceback__)[-1]
                reason = f"{type(error).__name__}: {error} ({os.path.basename(place.filename)}:{place.lineno})"
                self.send("off", reason=f"an error of the witness, {reason}; training goes on")
                self.is_off = True
                return None
            finally:
                if weight:
                    self.spent += weight * (time.thread_time() - begin)
                if is_outer:
                    self.inside.discard(thread)

        return call
