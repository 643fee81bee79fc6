"""The newest figures of a run, sorted by whom and what they are of."""

import dataclasses

DETAILS = ("part", "point", "collective")  # of one arrangement; other fields of a case tell arrangements apart
BOUND = "bound"  # the machine, which stands among the subjects


@dataclasses.dataclass
class Measured:
    """One subject in one arrangement."""

    subject: str
    case: dict  # without DETAILS
    figures: dict  # ("memory_reported", "weights", "open"): record
    label: str = ""

    def value(self, *key):
        """None where it was not measured."""
        record = self.figures.get(key)
        return record["value"] if record else None

    @property
    def ranks(self):
        return self.case.get("ranks")


def measured_in(records):
    """`records`: the newest of each series of one machine, without those that failed."""
    found = {}
    for record in records:
        case = {field: value for field, value in record["case"].items() if field not in DETAILS}
        details = [record["case"][field] for field in DETAILS if field in record["case"]]
        measured = found.setdefault(key_of(record["subject"], case), Measured(record["subject"], case, {}))
        measured.figures[record["name"].split("/")[0], *details] = record
    everything = sorted((one for one in found.values() if one.subject != BOUND), key=order_of)
    for measured in everything:
        measured.label = label_of(measured.subject, measured.case, everything)
    return everything


def key_of(subject, case):
    """Equal for one subject in one arrangement."""
    return (subject, *sorted((field, str(value)) for field, value in case.items()))


def order_of(measured):
    """Ranks of 2 before ranks of 10."""
    case = measured.case
    return (case.get("ranks") or 0, str(case.get("stage", "")), key_of(measured.subject, case))


def label_of(subject, case, everything):
    """With the fields that tell it from others."""
    words = [subject] + ([f"stage {case['stage']}"] if "stage" in case else [])
    for field in sorted(case.keys() - {"stage", "ranks"}):
        if len({str(other.case.get(field)) for other in everything}) > 1:
            words.append(f"{field} {case[field]}")
    if "ranks" in case:
        words.append(in_words(case["ranks"]))
    return ", ".join(words)


def in_words(ranks):
    return "1 rank" if ranks == 1 else f"{ranks} ranks"


def is_oversubscribed(measured):
    return any(record["oversubscribed"] for record in measured.figures.values())
