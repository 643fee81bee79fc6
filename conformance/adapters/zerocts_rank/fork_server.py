"""Ranks that are forked from a process which has imported what they need: a framework takes seconds to import, a fork
milliseconds.

zerocts starts an adapter with ZEROCTS_FORK_SERVER=SOCKET. It imports, comes to run(), and there waits for
fork_client.py, which stands where the rank
would: it hands over its environment and output, the rank joins its process group, and it ends as the rank ends. Only
descendants of the conductor are served.
"""

import json
import os
import select
import signal
import socket
import struct
import sys
import tempfile
from pathlib import Path


class Rank:
    def __init__(self, pid, connection):
        self.pid, self.connection, self.process = pid, connection, os.pidfd_open(pid)

    def kill(self):
        """The process that asked for it is gone."""
        signal.pidfd_send_signal(self.process, signal.SIGKILL)
        self.connection.close()
        self.connection = None

    def report(self):
        """How it ended."""
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        if self.connection:
            try:
                self.connection.sendall(json.dumps({"exit": code} if code >= 0 else {"signal": -code}).encode())
            except OSError:
                pass  # gone at the same moment
        self.close()

    def close(self):
        os.close(self.process)
        if self.connection:
            self.connection.close()


def serve(path, conductor_pid):
    """Returns in each rank, once. The server itself ends with the conductor."""
    if len(list(Path("/proc/self/task").iterdir())) > 1:
        sys.exit("fork server: expected one thread after the imports, got more; a fork would lose them")
    conductor = os.pidfd_open(conductor_pid)
    listener, ranks = listen(path), []
    while True:
        watched = [
            listener,
            conductor,
            *(rank.process for rank in ranks),
            *(rank.connection for rank in ranks if rank.connection),
        ]
        ready = select.select(watched, [], [])[0]
        if conductor in ready:
            os._exit(0)
        for rank in [rank for rank in ranks if rank.process in ready]:
            ranks.remove(rank)
            rank.report()
        for rank in [rank for rank in ranks if rank.connection in ready]:
            rank.kill()
        if listener in ready:
            connection = listener.accept()[0]
            asked = received(connection, conductor_pid)
            if asked is None:
                connection.close()
                continue
            request, files = asked
            pid = forked()
            if pid == 0:
                for inherited in (listener, connection, *ranks):
                    inherited.close()
                os.close(conductor)
                become(request, files)
                return
            for file in files:
                os.close(file)
            ranks.append(Rank(pid, connection))


def listen(path):
    """The socket's name appears when it can be connected to."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path + ".new")
    listener.listen(64)
    os.rename(path + ".new", path)
    return listener


def received(connection, conductor_pid):
    """(what fork_client.py says, its standard output and error); None from a stranger, to whom nobody listens."""
    pid = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
    try:
        if not descends(pid, conductor_pid):
            return None
        _, files, _, _ = socket.recv_fds(connection, 1, 2)
        return {**json.loads(connection.makefile().readline()), "group": os.getpgid(pid)}, files
    except (OSError, ValueError):  # it is gone
        return None


def descends(pid, ancestor):
    while pid not in (0, ancestor):
        pid = int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    return pid == ancestor


def forked():
    sys.stdout.flush()
    sys.stderr.flush()
    return os.fork()


def become(request, files):
    """The rank that was asked for."""
    os.setpgid(0, request["group"])
    os.chdir(request["directory"])
    environment = {**request["environment"], **set_by_imports()}
    os.environ.clear()
    os.environ.update(environment)
    for file, standard in zip(files, (1, 2)):
        os.dup2(file, standard)
        os.close(file)
    tempfile.tempdir = None  # by the new environment


def set_by_imports():
    """A module may set what a library reads later."""
    entries = Path("/proc/self/environ").read_bytes().decode(errors="surrogateescape").split("\0")
    at_start = dict(entry.split("=", 1) for entry in entries if "=" in entry)
    return {name: value for name, value in os.environ.items() if at_start.get(name) != value}
