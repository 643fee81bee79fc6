"""The client of ZeRO-CTS's rank protocol (conformance/abi/rank_protocol.md) for implementations that Python can drive.

Fill in a Subject and call run(MySubject()). Needs numpy and pyzmq.
"""

from . import needs, variables  # noqa: F401
from .calls import Calls
from .case import Case, Groups, Parameter
from .declared import refuse_undeclared
from .host import Host
from .loss import curved_gradient
from .subject import INTERNAL, INVALID_ARGUMENT, UNIMPLEMENTED, Bytes, Moved, Refused, StepResult, Subject, Traffic
from .worker import run

__all__ = [
    "Bytes",
    "Calls",
    "Case",
    "Groups",
    "Host",
    "INTERNAL",
    "INVALID_ARGUMENT",
    "Moved",
    "Parameter",
    "Refused",
    "StepResult",
    "Subject",
    "Traffic",
    "UNIMPLEMENTED",
    "curved_gradient",
    "refuse_undeclared",
    "run",
]
