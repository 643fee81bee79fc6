"""A rank that speaks the rank protocol and misbehaves: faulty_rank.py BEHAVIOUR. Rank 1 does what the table below says;
the others do too where a name ends with _all, and otherwise wait for it in a barrier.
"""

import json
import os
import signal
import socket as sockets
import sys
import time

BEHAVIOUR = sys.argv[1]
if BEHAVIOUR == "import_error":
    import framework_that_is_not_installed  # noqa: F401
import zmq  # noqa: E402

RANK, WORLD_SIZE = (
    int(os.environ.get("ZEROCTS_" + name, os.environ.get(name, "0"))) for name in ("RANK", "WORLD_SIZE")
)
CAPABILITIES = {"stages": [1], "param_dtypes": ["fp32"], "optimizers": ["sgd"], "world_sizes": [1, 8]}
FORGIVING_SECONDS = 60  # nobody waits longer, even if the conductor does


def connect():
    socket = zmq.Context.instance().socket(zmq.DEALER)
    socket.setsockopt(zmq.LINGER, 1000)
    socket.setsockopt(zmq.RCVTIMEO, FORGIVING_SECONDS * 1000)
    name = f"rank-{RANK}".encode()
    socket.setsockopt(zmq.IDENTITY, name)
    socket.plain_username, socket.plain_password = name, os.environ["ZEROCTS_GROUP_SECRET"].encode()
    socket.connect(os.environ["ZEROCTS_CONDUCTOR"])
    return socket


def send(socket, message, *raw):
    socket.send_multipart([json.dumps(message).encode(), *raw])


def receive(socket):
    frames = socket.recv_multipart()
    return json.loads(frames[0]), frames[1:]


def hello(socket):
    send(
        socket,
        {
            "type": "hello",
            "protocol": 7 if BEHAVIOUR == "other_protocol" else 1,
            "rank": RANK,
            "world_size": WORLD_SIZE,
            "pid": int(os.environ["FOREIGN_PID"]) if BEHAVIOUR == "foreign_pid" else os.getpid(),
            "name": "faulty",
            "version": "1",
            "description": "",
            "capabilities": json.dumps(CAPABILITIES),
        },
    )


def barrier(socket, run):
    send(socket, {"type": "barrier", "run": run, "request": 1, "deadline_ms": FORGIVING_SECONDS * 1000})
    receive(socket)


def observe(socket, run, case, value_bytes):
    """One parameter after load; `value_bytes` of its values travel."""
    parameters = case["experiment"]["parameters"]
    numel = 1
    for size in parameters[0]["shape"]:
        numel *= size
    send(
        socket,
        {
            "type": "observed",
            "run": run,
            "rank": RANK,
            "input_hash": "0" * 32,
            "owned": [[] for _ in parameters],
            "what": ["parameter"],
            "records": [-1, 0, 0, 0, numel],
            "held": [],
            "scalar_steps": [],
            "reported_bytes": [0] * 4,
            "allocated_bytes": [0] * 4,
            "process_heap_growth_bytes": 0,
            "ranks_in_process": 1,
            "notes": [],
        },
        bytes(value_bytes(numel)),
        b"",
        b"",
    )


def send_a_shims_message(socket):
    """Names a process that is not its own, and stops the shim, so that the conductor must kill."""
    foreign = int(os.environ["FOREIGN_PID"])
    os.kill(os.getppid(), signal.SIGSTOP)
    send(socket, {"type": "started", "rank": RANK, "shim_pid": foreign, "pid": foreign})


def knock_as_strangers():
    """Under names that nobody has, and with noise; none of them proves the group's secret."""
    address = os.environ["ZEROCTS_CONDUCTOR"]
    for name in (b"shim-00", b"cook-1"):
        stranger = zmq.Context.instance().socket(zmq.DEALER)
        stranger.setsockopt(zmq.IDENTITY, name)
        stranger.connect(address)
        send(stranger, {"type": "ended", "rank": 0, "how": "signal", "code": int(signal.SIGSEGV), "text": ""})
    noise = sockets.socket(sockets.AF_UNIX)
    noise.connect(address.removeprefix("ipc://"))
    noise.sendall(bytes(range(250)) * 2)


def misbehave(socket, run, case):
    if BEHAVIOUR.startswith("raise"):
        raise RuntimeError(f"rank {RANK} cannot do the step")
    if BEHAVIOUR.startswith("unsupported"):
        send(socket, {"type": "unsupported", "run": run, "reason": "I do not like it"})
    if BEHAVIOUR.startswith("exit"):
        os._exit(0)
    if BEHAVIOUR == "hang":
        time.sleep(FORGIVING_SECONDS)  # it skips the collective that the others wait in
    if BEHAVIOUR == "wrong_shape":
        observe(socket, run, case, lambda numel: 4 * (numel + 1))
    if BEHAVIOUR == "wrong_dtype":
        observe(socket, run, case, lambda numel: 2 * numel)  # half precision for fp32
    if BEHAVIOUR == "shims_message":
        send_a_shims_message(socket)
    if BEHAVIOUR == "strangers":
        knock_as_strangers()
        barrier(socket, run)
        os._exit(0)
    if BEHAVIOUR == "foreign_pid":
        os.kill(int(os.environ["FOREIGN_PID"]), signal.SIGKILL)
        time.sleep(0.6)  # the conductor looks for ranks that ended
    if BEHAVIOUR in ("not_json", "foreign_pid"):
        socket.send_multipart([b"\x80no header"])


def main():
    socket = connect()
    hello(socket)
    while True:
        header, raw = receive(socket)
        if header["type"] == "stop":
            return
        if header["type"] != "run":
            continue
        if RANK == 1 or BEHAVIOUR.endswith("_all"):
            misbehave(socket, header["run"], json.loads(raw[0]))
        else:
            barrier(socket, header["run"])


main()
