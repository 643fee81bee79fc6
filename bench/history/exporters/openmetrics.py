"""OpenMetrics text, for Prometheus and its kin: a gauge per unit, a label per benchmark, subject and machine; bounds
beside.
"""

from exporters import Exported
from exporters.units import spelled_out
from series import moment, newest_of_one_machine

MEANING = "OpenMetrics text, for Prometheus and its kin"


def export(all_series):
    newest = newest_of_one_machine(all_series)
    families = {}
    for name, record in newest:
        unit = spelled_out(record["unit"])
        families.setdefault(f"zerocts_benchmark_{unit}", []).append(sample_of(name, record, record["value"], {}))
        if record["bound"]:
            bound = record["bound"]
            line = sample_of(name, record, bound["value"], {"bound": bound["name"]})
            families.setdefault(f"zerocts_benchmark_bound_{unit}", []).append(line)
    text = "".join(family_text(family, lines) for family, lines in sorted(families.items()))
    return Exported({"openmetrics.txt": text + "# EOF\n"} if families else {})


def family_text(family, lines):
    what = "bound that a figure cannot pass" if "_bound_" in family else "newest figure of a benchmark"
    head = f"# TYPE {family} gauge\n# UNIT {family} {unit_in(family)}\n# HELP {family} The {what}.\n"
    return head + "".join(f"{family}{line}\n" for line in lines)


def unit_in(family):
    return family.removeprefix("zerocts_benchmark_").removeprefix("bound_")


def sample_of(name, record, value, more_labels):
    labels = {
        "benchmark": name,
        "subject": record["subject"],
        "machine": record["machine"]["fingerprint"],
        **more_labels,
    }
    written = ",".join(f'{label}="{escaped(text)}"' for label, text in labels.items())
    return f"{{{written}}} {float(value)!r} {moment(record['date']).timestamp():.3f}"


def escaped(text):
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
