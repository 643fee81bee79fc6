"""One subject in arrangements that differ in one field of the case."""

import dataclasses

from picture.measured import key_of, label_of


@dataclasses.dataclass
class Curve:
    label: str
    points: list  # Measured, in the order in which they stand


def curves_over(field, everything):
    """One curve for each subject and arrangement that was measured with several values of the field."""
    found = {}
    for measured in everything:
        if field not in measured.case:
            continue
        rest = {name: value for name, value in measured.case.items() if name != field}
        curve = found.setdefault(
            key_of(measured.subject, rest), Curve(label_of(measured.subject, rest, everything), [])
        )
        curve.points.append(measured)
    return [curve for curve in found.values() if len(curve.points) > 1]
