"""Tests of fork_server.py and fork_client.py: this file plays the conductor and the shims."""

import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).parent
CLIENT, PROGRAM = HERE / "fork_client.py", HERE / "tests" / "forked_rank.py"
PATIENCE_S = 120  # on a machine with other work


def gone(pid):
    """Ended, reaped or not."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):  # the second when it ends between open and read
        return True


def turned_away(stranger, noise):
    """The server may close before the noise is sent, before it is read, or after."""
    try:
        stranger.sendall(noise)
        return stranger.recv(1) == b""
    except (BrokenPipeError, ConnectionResetError):
        return True


class ForkServerTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def eventually(self, holds, what):
        until = time.monotonic() + PATIENCE_S
        while not holds():
            self.assertLess(time.monotonic(), until, what)
            time.sleep(0.01)

    def start_server(self, name="s", conductor=None, **environment):
        socket = os.path.join(self.folder, name)
        server = subprocess.Popen(
            [sys.executable, str(PROGRAM), socket],
            stderr=subprocess.PIPE,
            text=True,
            env={
                **os.environ,
                "ZEROCTS_CONDUCTOR_PID": str(conductor or os.getpid()),
                "OF_THE_SERVER": "1",
                **environment,
            },
        )
        self.addCleanup(server.communicate)
        self.addCleanup(server.kill)
        self.eventually(lambda: os.path.exists(socket) or server.poll() is not None, "no socket")
        return socket, server

    def start_rank(self, sockets, end, rank=0):
        client = subprocess.Popen(
            [sys.executable, "-I", "-S", str(CLIENT), *sockets],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=os.setpgrp,
            cwd=self.folder,
            env={"ZEROCTS_RANK": str(rank), "END": end},
        )
        self.addCleanup(client.communicate)
        self.addCleanup(client.kill)
        return client

    def test_a_rank_has_the_clients_environment_and_what_imports_set(self):
        socket, server = self.start_server()
        client = self.start_rank([socket], "exit 0", rank=3)
        said, aside = client.communicate(timeout=PATIENCE_S)
        pid, imported_by, *rest = said.split()
        self.assertEqual(rest, [os.path.realpath(self.folder), "2", "None", "3"])
        self.assertEqual((int(imported_by), aside), (server.pid, "aside\n"))
        self.assertNotIn(int(pid), (server.pid, client.pid))

    def test_ends_as_its_rank_ends(self):
        socket, _ = self.start_server()
        for end, code in (
            ("exit 0", 0),
            ("exit 7", 7),
            (f"signal {signal.SIGSEGV}", -signal.SIGSEGV),
            (f"signal {signal.SIGKILL}", -signal.SIGKILL),
        ):
            with self.subTest(end):
                self.assertEqual(self.start_rank([socket], end).wait(PATIENCE_S), code)

    def test_ranks_take_turns_at_the_servers(self):
        servers = [self.start_server(name) for name in ("a", "b")]
        sockets = [socket for socket, _ in servers]
        parents = [
            int(self.start_rank(sockets, "exit 0", rank).communicate(timeout=PATIENCE_S)[0].split()[1])
            for rank in range(3)
        ]
        self.assertEqual(parents, [servers[0][1].pid, servers[1][1].pid, servers[0][1].pid])

    def test_a_rank_dies_with_its_group_and_with_its_client(self):
        socket, _ = self.start_server()
        for kill in (lambda client: os.killpg(client.pid, signal.SIGKILL), lambda client: client.kill()):
            client = self.start_rank([socket], "stay on")
            pid = int(client.stdout.readline().split()[0])
            self.assertEqual((os.getpgid(pid), gone(pid)), (client.pid, False))
            kill(client)
            self.eventually(lambda: gone(pid), "the rank lives on")

    def test_says_so_when_the_server_is_gone(self):
        socket, server = self.start_server()
        client = self.start_rank([socket], "stay on")
        pid = int(client.stdout.readline().split()[0])
        server.kill()
        self.assertEqual(client.wait(PATIENCE_S), 125)
        os.kill(pid, signal.SIGKILL)  # as the shim kills its group
        self.assertIn("the process that forks ranks is gone", client.stderr.read())

    def test_turns_away_who_does_not_descend_from_the_conductor(self):
        conductor = subprocess.Popen(["sleep", "60"])
        self.addCleanup(conductor.wait)
        self.addCleanup(conductor.kill)
        path, server = self.start_server(conductor=conductor.pid)
        for noise in (b"", b"no request\n", bytes(range(250))):
            with self.subTest(noise), socket.socket(socket.AF_UNIX) as stranger:
                stranger.settimeout(PATIENCE_S)
                stranger.connect(path)
                self.assertTrue(turned_away(stranger, noise))
        self.assertEqual(self.start_rank([path], "exit 0").wait(PATIENCE_S), 125)
        self.assertIsNone(server.poll())

    def test_a_server_ends_with_the_conductor(self):
        conductor = subprocess.Popen(["sleep", "60"])
        _, server = self.start_server(conductor=conductor.pid)
        conductor.kill()
        conductor.wait()
        self.assertEqual(server.wait(PATIENCE_S), 0)

    def test_will_not_fork_from_several_threads(self):
        socket, server = self.start_server(THREAD="1")
        self.assertFalse(os.path.exists(socket))
        self.assertEqual(server.wait(PATIENCE_S), 1)
        self.assertIn("expected one thread", server.stderr.read())


if __name__ == "__main__":
    unittest.main()
