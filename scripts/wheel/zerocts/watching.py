"""`zerocts.watch` from inside of a script: the ranks of one machine, whose first starts `zerocts watch` beside them."""

import importlib.util
import os
import socket
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

KEY = "zerocts_watch"
SECONDS = 60  # for the first rank to start the judge
HOLDER = ["sh", "-c", 'printf "%s\\n" "$_ZEROCTS_WATCH_SOCKET"; exec cat']  # ends with the rank that holds its input


def watch(program, model, optimizer, options):
    """Follows `model` and `optimizer` from now on. All ranks call it, behind init_process_group."""
    if "zerocts_watch" not in sys.modules:
        if "_ZEROCTS_WATCH_SOCKET" not in os.environ:  # a process that has one started this one
            os.environ["_ZEROCTS_WATCH_SOCKET"] = meeting_point(program, options)
        start_witness(program)
    witness = sys.modules["zerocts_watch"].witness
    if witness is None:
        raise RuntimeError("zerocts.watch: this process is not watched; it said why")
    witness.follow_from_now(model, optimizer)


def meeting_point(program, options):
    """The socket of the judge, by the store of the process group."""
    import torch.distributed as dist

    if not (dist.is_available() and dist.is_initialized()):
        if int(os.environ.get("WORLD_SIZE", "1")) > 1:
            raise RuntimeError(
                "zerocts.watch: expected a process group, as WORLD_SIZE is more than 1, got none; call it behind "
                "init_process_group"
            )
        return started(program, options)
    store = dist.distributed_c10d._get_default_store()
    if dist.get_rank() == 0:
        path = ""
        try:
            path = started(program, options)
        finally:
            store.set(KEY, f"{socket.gethostname()} {path}")  # others wait for it, also where it failed
        return path
    store.wait([KEY], timedelta(seconds=SECONDS))
    host, path = store.get(KEY).decode().split(" ", 1)
    if not path:
        raise RuntimeError("zerocts.watch: rank 0 has started no judge; it says why")
    if host != socket.gethostname():
        raise RuntimeError(f"zerocts.watch: expected all ranks on one machine, got {host} and {socket.gethostname()}")
    return path


def started(program, options):
    """The socket of a `zerocts watch` that ends with this process."""
    command = [str(program), "watch", *options, "--", *HOLDER]
    judge = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
    path = judge.stdout.readline().strip()
    if not path:
        raise RuntimeError(f"zerocts.watch: zerocts watch ended with {judge.wait()}; it said why")
    sys.modules[__name__].judge = judge  # its input stays open until this process ends
    return path


def start_witness(program):
    package = Path(program).parents[1] / "share/zerocts/adapters/zerocts_watch/__init__.py"
    spec = importlib.util.spec_from_file_location(
        "zerocts_watch", package, submodule_search_locations=[str(package.parent)]
    )
    sys.modules["zerocts_watch"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.install()
