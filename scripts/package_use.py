"""Runs the programs of a package in its tests."""

import subprocess

SECONDS = 600


def run(*command, seconds=SECONDS, **options):
    """What it prints. Raises AssertionError with the end of its output where it does not end with 0."""
    ended = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=seconds, check=False, **options
    )
    if ended.returncode != 0:
        raise AssertionError(
            f"{command[:3]} ended with {ended.returncode}:\n{ended.stdout[-3000:]}{ended.stderr[-3000:]}"
        )
    return ended.stdout


def checkpoint_in(folder):
    """A file of safetensors with two elements."""
    header = b'{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'
    file = folder / "w.safetensors"
    file.write_bytes(len(header).to_bytes(8, "little") + header + bytes(8))
    return file
