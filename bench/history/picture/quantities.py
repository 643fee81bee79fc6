"""What is drawn and fitted of a subject in one arrangement."""

import dataclasses
from typing import Callable

from picture.measured import is_oversubscribed


@dataclasses.dataclass(frozen=True)
class Quantity:
    title: str
    name: str  # in a sentence
    unit: str
    of: Callable  # Measured: its value, None where it was not measured


def sent_bytes(measured):
    sent = [record["value"] for key, record in measured.figures.items() if key[0] == "sent_bytes"]
    return sum(sent) if sent else None


STEP_TIME = Quantity("Time of a step", "the time of a step", "s", lambda measured: measured.value("step_time"))
CPU_TIME = Quantity(
    "CPU time of a rank", "the CPU time of a rank", "s", lambda measured: measured.value("cpu_time_of_a_rank")
)
SENT = Quantity("Bytes that all ranks send in a step", "what all ranks send in a step", "byte", sent_bytes)
QUANTITIES = (STEP_TIME, CPU_TIME, SENT)


def is_comparable(quantity, measured):
    """Ranks that share cores wait for each other: their CPU time and bytes still count."""
    return quantity is not STEP_TIME or not is_oversubscribed(measured)
