"""The operators of operators.cpp, where `zerocts watch prepare` has built them for this release of torch."""

import hashlib
import os
import sys
from pathlib import Path

import torch

SOURCE = Path(__file__).parent / "operators.cpp"


def library():
    """Where it lies when it is built: in the user's cache folder, by the release of torch and the source."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    cache = (Path(base) if base.startswith("/") else Path.home() / ".cache") / "zerocts" / "watch"
    digest = hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:8]
    return cache / f"torch-{torch.__version__}-{digest}.so"


def load():
    """Are they there?"""
    if not library().exists():
        return False
    try:
        torch.ops.load_library(str(library()))
    except OSError as error:
        cure = "remove it and call zerocts watch prepare again"
        print(f"zerocts: {library()} cannot be loaded: {error}; {cure}", file=sys.stderr, flush=True)
        return False
    return True
