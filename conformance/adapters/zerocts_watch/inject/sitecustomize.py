"""The first sitecustomize of every Python below `zerocts watch`: starts the witness once torch is imported, and runs
the user's own."""

import importlib.machinery
import importlib.util
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def start_witness():
    package = os.path.dirname(HERE)
    spec = importlib.util.spec_from_file_location(
        "zerocts_watch", os.path.join(package, "__init__.py"), submodule_search_locations=[package]
    )
    sys.modules["zerocts_watch"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.install()


class AfterTorch:
    """Finds torch as Python would, and starts the witness behind its import; libraries ask for torch before, too."""

    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            sys.meta_path.insert(0, self)
        if spec and spec.loader:
            run = spec.loader.exec_module

            def exec_module(module):
                run(module)
                if self in sys.meta_path:
                    sys.meta_path.remove(self)
                    start_witness()

            spec.loader.exec_module = exec_module
        return spec


def run_users_own():
    others = [path for path in sys.path if os.path.abspath(path or ".") != HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec and spec.loader:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


if os.environ.get("_ZEROCTS_WATCH_SOCKET"):
    sys.meta_path.insert(0, AfterTorch())
run_users_own()
