"""What the user names by FILE:NAME, and one sentence when it cannot be had."""

import contextlib
import importlib
import importlib.util
import inspect
import sys
from pathlib import Path

from zerocts_rank.user_place import user_place


class Problem(Exception):
    """A mistake of the user, in one sentence."""


@contextlib.contextmanager
def told(what):
    """What the user's code raises in this block becomes a Problem with the user's own line."""
    try:
        yield
    except (Problem, KeyboardInterrupt):
        raise
    except BaseException as failed:  # a script may also end
        words = failed.msg if isinstance(failed, SyntaxError) else " ".join(str(failed).split())
        raise Problem(f"{what} raised {type(failed).__name__}: {words}{user_place(failed)}") from None


def load(target):
    """`my_file.py:Name`, or `my_package.module:Name`."""
    path, _, name = target.rpartition(":")
    if not path or not name.isidentifier():
        raise Problem(f'expected FILE:CLASS, such as my_file.py:ShardedOptimizer, got "{target}"')
    module = _module(path)
    if hasattr(module, name):
        return getattr(module, name)
    classes = [n for n, value in vars(module).items() if inspect.isclass(value) and value.__module__ == module.__name__]
    raise Problem(f"{path}: expected {name} in it, got {', '.join(classes) or 'no class'}")


def _module(path):
    file = Path(path).resolve()
    if not file.is_file():
        if file.suffix == ".py" or "/" in path:
            raise Problem(f"{path}: expected a file, got none of this name; check the path")
        with told(f"import {path}"):
            return importlib.import_module(path)
    for module in sys.modules.values():
        if getattr(module, "__file__", None) == str(file):
            return module
    name = file.stem if file.stem not in sys.modules else f"user_{file.stem}"
    specification = importlib.util.spec_from_file_location(name, file)
    module = sys.modules[name] = importlib.util.module_from_spec(specification)
    sys.path.insert(0, str(file.parent))
    with told(f"import {path}"):
        specification.loader.exec_module(module)
    return module


def line_of(callable_):
    """ "my_file.py:12": where it is defined, or a class's constructor is; its name where nobody knows."""
    constructor = getattr(callable_, "__init__", None) if inspect.isclass(callable_) else None
    for defined in (constructor, callable_):
        with contextlib.suppress(TypeError, OSError):
            return f"{Path(inspect.getsourcefile(defined)).name}:{inspect.getsourcelines(defined)[1]}"
    return str(callable_)
