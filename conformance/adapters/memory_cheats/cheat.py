"""A trainer that reports 1 / W of the momentum and holds all of it: cheat.py PLACE, the place where the rest lies."""

import mmap
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ADAPTERS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ADAPTERS), str(ADAPTERS / "examples")]
import zerocts_rank  # noqa: E402

SHARED_MEMORY = "/dev/shm"
HOLDER = """
import os, sys
if os.fork(): os._exit(0)
os.setsid()
held = bytearray(b"1") * int(sys.argv[1])
os.write(1, b"1")
os.close(1)
sys.stdin.read()
"""


class Nowhere:
    """Honest: there is no rest."""

    def __init__(self, numel):
        pass

    def use(self):
        """In a step: read, changed, written."""

    def spill(self):
        """When asked how much is held."""


class Memory(Nowhere):
    def __init__(self, numel):
        self.held = np.ones(numel, np.float32)

    def use(self):
        self.held *= np.float32(0.9)


class Ballast(Memory):
    """Memory that the process's first case took and no case gives back."""

    taken = None

    def __init__(self, numel):
        if Ballast.taken is None or Ballast.taken.size < numel:
            Ballast.taken = np.ones(numel, np.float32)
        self.held = Ballast.taken[:numel]


class File(Nowhere):
    place = None

    def __init__(self, numel):
        self.folder = tempfile.TemporaryDirectory(dir=self.place)
        self.path = self.folder.name + "/rest"
        np.ones(numel, np.float32).tofile(self.path)

    def use(self):
        (np.fromfile(self.path, np.float32) * np.float32(0.9)).tofile(self.path)


class SharedMemoryFile(File):
    place = SHARED_MEMORY


class MappedFile(Memory):
    def __init__(self, numel):
        with tempfile.TemporaryFile() as file:
            file.truncate(4 * numel)
            self.held = np.frombuffer(mmap.mmap(file.fileno(), 4 * numel), np.float32)
        self.held[:] = 1


class OpenFile(Nowhere):
    """In memory, without a name, and mapped only in steps."""

    def __init__(self, numel):
        self.file = os.memfd_create("rest")
        os.truncate(self.file, 4 * numel)
        self.use()

    def use(self):
        with mmap.mmap(self.file, 0) as pages:
            held = np.frombuffer(pages, np.float32)
            held += 1
            del held

    def __del__(self):
        os.close(self.file)


class LostProcess(Nowhere):
    """One that was forked twice, in a session of its own."""

    def __init__(self, numel):
        self.holder = subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(4 * numel)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.holder.stdout.read(1)

    def __del__(self):
        self.holder.stdin.close()
        self.holder.wait()


class Spilled(Memory):
    """Memory until somebody asks."""

    def spill(self):
        self.held = None


PLACES = {
    place.__name__: place
    for place in (Nowhere, Memory, Ballast, File, SharedMemoryFile, MappedFile, OpenFile, LostProcess, Spilled)
}


def main():
    run, zerocts_rank.run = zerocts_rank.run, lambda subject: None  # of the example, which is honest
    from home_made_zero1 import HomeMadeZero1

    class Cheat(HomeMadeZero1):
        name = "cheat"

        def open(self, case, initial, host):
            super().open(case, initial, host)
            self.rest = None  # of the case before
            self.rest = PLACES[sys.argv[1]](len(self.flat) - len(self.momentum))

        def step(self, step):
            super().step(step)
            self.rest.use()

        def memory(self):
            self.rest.spill()
            return super().memory()

    run(Cheat())


if __name__ == "__main__":
    main()
