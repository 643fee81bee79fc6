"""Makes a package and runs its programs, in their tests."""

import subprocess
import sys
import tempfile

SECONDS = 600
PACKAGE_SECONDS = 3000
NO_INDEX = "a package index that offers scikit-build-core, pip finds none; check the network"


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


def wheel_of(source, folder):
    """The one that scripts/package builds, in `folder`."""
    run(source / "scripts/package", "wheel", "--out", folder, seconds=PACKAGE_SECONDS)
    (wheel,) = folder.glob("zerocts-*.whl")
    return wheel


def has_index():
    with tempfile.TemporaryDirectory() as downloads:
        ask = ["-m", "pip", "download", "--no-deps", "--quiet", "--dest", downloads, "scikit-build-core"]
        return subprocess.run([sys.executable, *ask], capture_output=True, check=False).returncode == 0


def checkpoint_in(folder):
    """A file of safetensors with two elements."""
    header = b'{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'
    file = folder / "w.safetensors"
    file.write_bytes(len(header).to_bytes(8, "little") + header + bytes(8))
    return file
