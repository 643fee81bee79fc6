"""Lines that ctest takes from the output of a test and gives to CDash, which draws a graph of each."""

from xml.sax.saxutils import quoteattr

from exporters import Exported
from series import newest_of_one_machine

MEANING = "DartMeasurement lines, which ctest takes from the output of a test to CDash"


def export(all_series):
    lines = [line_of(name, record) for name, record in newest_of_one_machine(all_series)]
    return Exported({"measurements.txt": "".join(lines)} if lines else {})


def line_of(name, record):
    title = quoteattr(f"{name} ({record['unit']})")
    return f'<DartMeasurement name={title} type="numeric/double">{record["value"]!r}</DartMeasurement>\n'
