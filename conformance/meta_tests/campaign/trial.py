"""One injection: a short `zerocts check` in which it happens, and what is wrong with how that ended."""

import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

from injections import CHECKPOINT, expected
from processes import GONE_AFTER, ancestor, marked, waited_for

HERE = Path(__file__).resolve().parent
LONGEST = 300  # seconds of a check, on a machine with other work; deadlines add up to less than a tenth of it
DEADLINES = {"--deadline": "6", "--start-deadline": "12", "--shutdown-deadline": "6"}
SYSTEM_PYTHON = "/usr/bin/python3"


@dataclasses.dataclass
class Programs:
    zerocts: Path
    faulty_subject: Path
    python: str  # with numpy and pyzmq; "": there is none
    unshare: list  # gives a program mounts of its own; empty: nobody may here
    options: list  # of check, that this zerocts knows

    def installed(self, place):
        return self.zerocts.parent.parent / place


def programs_of(zerocts, faulty_subject):
    def works(*words):
        return subprocess.run(words, capture_output=True, check=False).returncode == 0

    pythons = (python for python in (sys.executable, SYSTEM_PYTHON) if works(python, "-c", "import numpy, zmq"))
    mounts = (
        words
        for words in (["unshare", "-m"], ["unshare", "-Urm"])
        if works(*words, "mount", "-t", "tmpfs", "none", "/tmp")
    )
    known = subprocess.run([zerocts, "check", "--help"], capture_output=True, text=True, check=True).stdout
    options = [word for name, seconds in DEADLINES.items() if name in known for word in (name, seconds)]
    return Programs(
        Path(zerocts).resolve(), Path(faulty_subject).resolve(), next(pythons, ""), next(mounts, []), options
    )


class Trial:
    def __init__(self, programs, injection):
        self.programs, self.injection, self.mark = programs, injection, uuid.uuid4().hex
        self.problems = []

    def run(self):
        """A record of how it went; without problems it was right."""
        with tempfile.TemporaryDirectory(prefix="campaign.") as folder:
            self.folder = Path(folder)
            for name in ("tmp", "out"):
                (self.folder / name).mkdir()
            start = time.monotonic()
            self.check()
            seconds = time.monotonic() - start
            self.judge()
            self.look_around()
        return {
            **dataclasses.asdict(self.injection),
            "exit_code": self.exit_code,
            "seconds": round(seconds, 1),
            "right": not self.problems,
            "problems": self.problems,
            "said": self.text[-1500:] if self.problems else "",
        }

    def subject(self):
        here = self.programs
        if self.injection.language == "c":
            return f"plugin:{here.faulty_subject}"
        adapters = here.installed("share/zerocts/adapters")
        rank = f"{HERE}/faulty_python_rank.py {adapters} {here.faulty_subject}"
        if self.injection.launcher == "command":
            return f"exec:exec {here.python} {HERE.parent}/start_ranks.py {{world_size}} {rank}"
        return f"exec:exec {here.python} {rank}"

    @property
    def saves(self):
        """The case has a checkpoint, which not every subject can write."""
        return self.injection.phase in CHECKPOINT or (self.injection.phase, self.injection.language) == ("session", "c")

    def command(self):
        clauses = ["C-ZERO-080"] if self.saves else ["C-ZERO-001", "C-ZERO-050"]
        where = f"--launcher {self.injection.launcher} --seed {self.injection.seed}"
        small = "--ranks 3 --precision fp32 --tier smoke --no-shrink --jobs 1"
        words = [*where.split(), *small.split(), *self.programs.options, "--out", str(self.folder / "out")]
        return [*self.own_disk(), str(self.programs.zerocts), "check", *clauses, "--subject", self.subject(), *words]

    def own_disk(self):
        """A TMPDIR or an --out of a few KiB, where it is the session's disk or the log's that is full."""
        if self.injection.fault != "full_disk" or self.injection.phase not in ("session", "log"):
            return []
        folder = self.folder / ("tmp" if self.injection.phase == "session" else "out")
        small = f'mount -t tmpfs -o size={self.injection.disk_kib}k none "{folder}" && exec "$@"'
        return [*self.programs.unshare, "sh", "-c", small, "sh"]

    def environment(self):
        sound = "native" if self.saves else "minimal"
        plugin = self.programs.installed("lib/zerocts/subjects") / (sound + ".so")
        told = {
            "MARK": self.mark,
            "FAULT": self.injection.of_rank,
            "PHASE": self.injection.phase,
            "RANK": "1",
            "REACHED": str(self.folder / "reached"),
            "SUBJECT": str(plugin),
        }
        return {**os.environ, "TMPDIR": str(self.folder / "tmp"), **{"CAMPAIGN_" + name: told[name] for name in told}}

    def check(self):
        with open(self.folder / "said", "w+", encoding="utf-8", errors="replace") as said:
            check = subprocess.Popen(
                self.command(),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                cwd=self.folder,
                env=self.environment(),
            )
            if self.injection.fault in ("kill", "stop") and self.injection.who != "rank":
                self.strike(check)
            try:
                self.exit_code = check.wait(LONGEST)
            except subprocess.TimeoutExpired:
                self.problems.append(f"it did not end within {LONGEST} s")
                check.kill()
                self.exit_code = check.wait()
        self.text = (self.folder / "said").read_text(encoding="utf-8", errors="replace")
        if self.injection.who == "conductor" and self.injection.fault in ("cut_file", "corrupt_file"):
            self.report_of_damaged_log()

    def strike(self, check):
        """Kills or stops another process than the rank when the rank waits where it was told to."""
        reached = self.folder / "reached"
        if not waited_for(lambda: check.poll() is not None or reached.exists() and reached.read_text(), LONGEST):
            return
        if check.poll() is not None:
            return
        who, is_stop = self.injection.who, self.injection.fault == "stop"
        pid = check.pid if who == "conductor" else ancestor(int(reached.read_text()), who)
        if pid not in marked(self.mark):
            self.problems.append(f"expected the {who} of this trial, found process {pid}")
            return
        os.kill(pid, signal.SIGSTOP if is_stop else signal.SIGKILL)
        if who == "conductor" and is_stop:
            time.sleep(1)
            os.kill(pid, signal.SIGCONT)

    def report_of_damaged_log(self):
        """The check was sound; its log is damaged, and the report must see it."""
        log = self.folder / "out/results.ndjson"
        if self.exit_code != 0:
            self.problems.append(f"the check was sound, and ended with {self.exit_code}")
            return
        text = bytearray(log.read_bytes())
        at = (self.injection.seed * 2654435761) % (len(text) - 2) + 1
        if self.injection.fault == "cut_file":
            del text[at:]
        else:
            text[at] ^= 1
        log.write_bytes(text)
        report = subprocess.run(
            [self.programs.zerocts, "report", log], capture_output=True, text=True, errors="replace", check=False
        )
        self.exit_code, self.text = report.returncode, self.text + report.stdout + report.stderr

    def results(self):
        try:
            records = [json.loads(line) for line in (self.folder / "out/results.ndjson").read_text().splitlines()]
        except (OSError, ValueError):
            return set()
        configurations = {record["result"] for record in records if record["record"] == "configuration"}
        return configurations - {"pass", "self_reported", "not_applicable", "too_few"}

    def judge(self):
        wanted = expected(self.injection)
        happened = (self.folder / "reached").exists() or self.injection.of_rank == ""
        if not happened:
            self.problems.append("the fault did not happen")
        if self.exit_code not in wanted.exit_codes:
            codes = " or ".join(map(str, sorted(wanted.exit_codes)))
            self.problems.append(f"expected exit code {codes}, got {self.exit_code}")
        if not re.search(wanted.words, self.text):
            self.problems.append(f"expected words like {wanted.words}")
        if wanted.results and (results := self.results()) - wanted.results:
            self.problems.append(f"expected {' or '.join(sorted(wanted.results))}, got {' '.join(sorted(results))}")

    def look_around(self):
        orphans = {}

        def gone():
            nonlocal orphans
            orphans = marked(self.mark)
            return not orphans and not os.listdir(self.folder / "tmp")

        if waited_for(gone, GONE_AFTER):
            return
        for pid, words in orphans.items():
            self.problems.append(f"orphan: {b' '.join(words).decode(errors='replace')[:200]}")
            try:
                os.kill(pid, signal.SIGKILL)  # it bears the mark of this trial
            except ProcessLookupError:
                pass
        if leftover := os.listdir(self.folder / "tmp"):
            self.problems.append(f"left in TMPDIR: {' '.join(leftover)}")
