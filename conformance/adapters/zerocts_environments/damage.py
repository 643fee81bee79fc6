"""Is an environment still as pip installed it?"""

import base64
import csv
import hashlib


def damaged_file(packages, expected, since):
    """A file that is gone, has another size than pip noted, or was changed since then to other bytes; None: there is
    none. `expected`: the folders in which pip noted them.
    """
    records = [packages / name / "RECORD" for name in expected] or sorted(packages.glob("*.dist-info/RECORD"))
    for record in records:
        try:
            with record.open(encoding="utf-8", newline="") as lines:
                noted = [(packages / name, digest, int(size)) for name, digest, size in csv.reader(lines) if digest]
        except (OSError, ValueError):
            return record
        for file, digest, size in noted:
            if file.suffix != ".pyc" and not is_as_noted(file, digest, size, since):
                return file
    return None


def is_as_noted(file, digest, size, since):
    try:
        found = file.stat()
        return found.st_size == size and (found.st_mtime <= since or digest == digest_of(file, digest.split("=")[0]))
    except (OSError, ValueError):
        return False


def digest_of(file, algorithm):
    digest = hashlib.new(algorithm, file.read_bytes()).digest()
    return f"{algorithm}={base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}"
