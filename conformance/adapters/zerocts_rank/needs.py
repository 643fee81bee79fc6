"""What the client needs beside Python: imported first, so that a Python that lacks it says so in one sentence."""

import importlib.util
import sys

_MODULES = {"numpy": "numpy", "zmq": "pyzmq"}  # and the wheels that have them

_missing = [wheel for module, wheel in _MODULES.items() if importlib.util.find_spec(module) is None]
if _missing:
    _wheels = " ".join(_missing)
    raise ImportError(
        f"zerocts_rank needs {_wheels}, which {sys.executable} does not have: type {sys.executable} -m pip install "
        f"{_wheels}, or start the ranks by a Python that has them (Debian's /usr/bin/python3 after scripts/run)"
    )
