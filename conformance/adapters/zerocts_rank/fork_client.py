"""Stands for a rank that one of the fork servers forks (fork_server.py), and ends as it ends.

usage: fork_client.py SOCKET ..      one socket per server; ranks take turns
"""

import json
import os
import resource
import signal
import socket
import sys

SERVER_GONE = 125


def main(paths):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(paths[int(os.environ["ZEROCTS_RANK"]) % len(paths)])
    request = {"directory": os.getcwd(), "environment": dict(os.environ)}
    try:
        socket.send_fds(connection, [b" "], [1, 2])
        connection.sendall(json.dumps(request).encode() + b"\n")
        answer = connection.makefile().read()
    except OSError:
        answer = ""
    if not answer:
        print("the process that forks ranks is gone", file=sys.stderr)
        sys.exit(SERVER_GONE)
    end = json.loads(answer)
    if "signal" in end:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if end["signal"] != signal.SIGKILL:
            signal.signal(end["signal"], signal.SIG_DFL)
        os.kill(os.getpid(), end["signal"])
    sys.exit(end.get("exit"))


main(sys.argv[1:])
