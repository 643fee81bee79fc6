"""Where in the user's own files an exception was raised."""

import sysconfig
import traceback
from pathlib import Path

ADAPTERS = Path(__file__).resolve().parent.parent
OURS = (ADAPTERS, ADAPTERS / "zerocts_rank", ADAPTERS / "zerocts_torch")
STANDARD_LIBRARY = Path(sysconfig.get_path("stdlib"))


def is_users(file):
    path = Path(file).resolve()
    return (
        path.suffix == ".py"
        and path.parent not in OURS
        and "site-packages" not in path.parts
        and STANDARD_LIBRARY not in path.parents
    )


def user_place(failed):
    """ " (my_file.py:31, in step)"; "" where no frame is the user's."""
    if isinstance(failed, SyntaxError) and failed.filename:
        return f" ({Path(failed.filename).name}:{failed.lineno})"
    frames = [frame for frame in traceback.extract_tb(failed.__traceback__) if is_users(frame.filename)]
    return f" ({Path(frames[-1].filename).name}:{frames[-1].lineno}, in {frames[-1].name})" if frames else ""
