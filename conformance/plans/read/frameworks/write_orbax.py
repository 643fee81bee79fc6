#!/usr/bin/env python3
"""Writes the checkpoint of some arrays that processes of jax save together by orbax on the CPU, for readers to read.

usage: write_orbax.py KIND FOLDER PROCESSES [--seed N]     KIND: orbax (OCDBT), orbax-zarr, orbax-zarr3. Each process
has two devices; the mesh is data PROCESSES x model 2. Needs a Python with jax and orbax-checkpoint.
"""

import argparse
import os
import socket
import subprocess
import sys

DEVICES = 2
SHAPES = {  # by their partition spec; 6 and 12 are what 2 and 3 processes divide, 7 is what none does
    "layer.w": ((12, 6), ("data", "model")),
    "layer.v": ((12,), ("data",)),
    "b": ((7,), ()),
}
HANDLERS = {"orbax": {}, "orbax-zarr": {"use_ocdbt": False}, "orbax-zarr3": {"use_ocdbt": False, "use_zarr3": True}}


def save(kind, folder, processes, seed, process, coordinator):
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={DEVICES}"
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax
    import numpy as np
    import orbax.checkpoint as ocp
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(coordinator, processes, process)
    mesh = Mesh(np.array(jax.devices()).reshape(processes, DEVICES), ("data", "model"))

    def array(shape, spec):
        values = np.full(shape, seed, np.float32)
        return jax.make_array_from_callback(shape, NamedSharding(mesh, PartitionSpec(*spec)), lambda at: values[at])

    tree = {"step": seed}
    for name, (shape, spec) in SHAPES.items():
        *folders, leaf = name.split(".")
        inner = tree
        for key in folders:
            inner = inner.setdefault(key, {})
        inner[leaf] = array(shape, spec)
    with ocp.Checkpointer(ocp.PyTreeCheckpointHandler(**HANDLERS[kind])) as checkpointer:
        checkpointer.save(os.path.abspath(folder), ocp.args.PyTreeSave(tree))


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("kind", choices=HANDLERS)
    parser.add_argument("folder")
    parser.add_argument("processes", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--process", type=int, help="which of them this is")
    parser.add_argument("--coordinator")
    arguments = parser.parse_args()
    if arguments.process is not None:
        save(**vars(arguments))
        return
    one = [sys.executable, *sys.argv, "--coordinator", f"127.0.0.1:{free_port()}"]
    started = [subprocess.Popen([*one, "--process", str(n)]) for n in range(arguments.processes)]
    sys.exit(max(abs(process.wait()) for process in started))


if __name__ == "__main__":
    main()
