"""Formats of others. Each file here is one: MEANING, a line of help, and export(all_series), which gives an
Exported.
"""

import dataclasses


@dataclasses.dataclass
class Exported:
    files: dict  # name of the file -> its text
    left_out: dict = dataclasses.field(default_factory=dict)  # name of a series -> why the format cannot hold it
