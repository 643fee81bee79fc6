"""Tells the judge of collectives in which a rank has been for long."""

import os
import threading
import time

SECONDS, PATIENCE = 5, 30  # between two looks; in a collective before it is told


class Waits:
    def __init__(self, wire):
        self.wire, self.inside, self.pid = wire, {}, None  # inside: of a thread, the collective and since when

    def enter(self, head):
        self.inside[threading.get_ident()] = head, time.monotonic()
        if self.pid != os.getpid():  # a fork has no threads
            self.pid = os.getpid()
            threading.Thread(target=self.look_on, daemon=True, name="zerocts-watch").start()

    def leave(self):
        self.inside.pop(threading.get_ident(), None)

    def look_on(self):
        look = self.wire.guarded(self.look)
        while not self.wire.is_off:
            time.sleep(SECONDS)
            look()

    def look(self):
        for head, since in list(self.inside.values()):
            seconds = time.monotonic() - since
            if seconds > PATIENCE:
                told = {key: head[key] for key in ("op", "group", "ranks", "number", "step")}
                self.wire.send("waits", **told, seconds=seconds)
