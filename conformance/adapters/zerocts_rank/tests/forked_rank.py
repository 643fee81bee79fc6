"""A program for fork_server_test.py: forked_rank.py SOCKET. It imports, serves, and each rank does what its environment
says.
"""

import os
import pathlib
import signal
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import fork_server  # noqa: E402  without the package, which needs numpy and zmq

os.environ["SET_BY_IMPORTS"] = "2"
imported_by = os.getpid()
if "THREAD" in os.environ:
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
fork_server.serve(sys.argv[1], int(os.environ["ZEROCTS_CONDUCTOR_PID"]))
print(
    os.getpid(),
    imported_by,
    os.getcwd(),
    os.environ.get("SET_BY_IMPORTS"),
    os.environ.get("OF_THE_SERVER"),
    os.environ["ZEROCTS_RANK"],
    flush=True,
)
print("aside", file=sys.stderr, flush=True)
how, what = os.environ["END"].split()
if how == "exit":
    sys.exit(int(what))
if how == "signal":
    signal.raise_signal(int(what))
time.sleep(60)
