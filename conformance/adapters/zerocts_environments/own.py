"""May the user's own Python serve?"""

import json
import subprocess

from zerocts_environments import Problem

EXAMINE_SECONDS = 60
NEEDED_BY_THE_CLIENT = ["numpy", "pyzmq"]
CPU = "cpu"


def versions_in(python, distributions):
    """{distribution: version or None} of another Python."""
    return answer_of(
        python,
        "import importlib.metadata as m, json, sys\n"
        "def version(name):\n"
        "  try: return m.version(name)\n"
        "  except m.PackageNotFoundError: return None\n"
        "print(json.dumps({name: version(name) for name in sys.argv[1:]}))",
        *distributions,
    )


def cuda_of_torch_in(python):
    """The release of CUDA that another Python's torch was built for, or None; torch itself is not imported, which takes
    seconds.
    """
    return answer_of(
        python,
        "import importlib.util, json, os, runpy\n"
        "folder, = importlib.util.find_spec('torch').submodule_search_locations\n"
        "print(json.dumps(runpy.run_path(os.path.join(folder, 'version.py')).get('cuda')))",
    )


def answer_of(python, script, *arguments):
    """The JSON that the script prints there."""
    try:
        ended = subprocess.run(
            [python, "-c", script, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=EXAMINE_SECONDS,
            check=True,
        )
        return json.loads(ended.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise Problem(
            f"--python: expected a Python 3.8 or newer, got {python}, which does not work as one "
            f"({type(error).__name__})"
        ) from None


def is_release(found, wanted):
    """2.13.0+cpu is a release 2.13 and 2.13.0."""
    parts = wanted.split(".")
    return found.split("+")[0].split(".")[: len(parts)] == parts


def examine(framework, python, version, device=CPU):
    found = versions_in(python, [framework, *NEEDED_BY_THE_CLIENT])
    missing = [name for name, installed in found.items() if installed is None]
    if missing:
        raise Problem(
            f"--python: expected {framework}, {' and '.join(NEEDED_BY_THE_CLIENT)} in the environment of {python}, got "
            f"none of {', '.join(missing)}; install it there, or leave --python out"
        )
    if version and not is_release(found[framework], version):
        raise Problem(
            f"--version: expected {framework} {version} in the environment of {python}, got {found[framework]}; "
            "leave one of both out"
        )
    if device != CPU and cuda_of_torch_in(python) is None:
        raise Problem(
            f"--device {device}: expected a build of torch for CUDA in the environment of {python}, got one for CPUs "
            "alone; give another with --python PATH, or leave --device out"
        )
    return python
