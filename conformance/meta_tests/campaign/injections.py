"""What the campaign injects, drawn by seed, and what must come of it."""

import dataclasses
import random

LAUNCHERS = ("threads", "local", "mpirun", "command")
START = ("load", "constructor", "hello")  # before the rank has said hello
CALLS = ("open", "accumulate", "step", "reads")
CHECKPOINT = ("save", "resume")
END = ("close", "shutdown")
ENDINGS = {
    "crash": {"crash"},
    "abort": {"crash"},
    "kill": {"crash"},
    "exit": {"early_exit"},
    "hang": {"hang"},
    "stop": {"hang"},
    "lost_socket": {"hang", "crash"},
}  # and how configurations end by them
WAITING = ("hang", "stop", "lost_socket")  # they take time, and hardly any of the processor
OTHERS = "garbage nan disagree full_disk cut_file corrupt_file rounding flush_to_zero overflow"
FAULTS = (*ENDINGS, *OTHERS.split())


@dataclasses.dataclass(frozen=True)
class Injection:
    seed: int
    fault: str
    phase: str
    launcher: str
    who: str  # rank, shim, conductor or mpirun
    language: str  # of the rank: c or python

    @property
    def waits(self):
        return self.fault in WAITING or self.of_rank == "hang"

    @property
    def disk_kib(self):
        """The disk size of a session whose disk is full; its pages need more than 4."""
        return 4 * (1 + self.seed % 5)

    @property
    def of_rank(self):
        """What the rank is told to do: it waits until something is done to another process."""
        if self.fault in ("kill", "stop") and self.who != "rank":
            return "hang"
        return "" if self.who != "rank" else self.fault

    def __str__(self):
        return f"{self.fault} of {self.who} in {self.phase} under {self.launcher} ({self.language})"


@dataclasses.dataclass(frozen=True)
class Expected:
    exit_codes: frozenset
    words: str = ""  # a pattern of the report
    results: frozenset = frozenset()  # of configurations, where the log has one that is no pass; empty: any


def expect(exit_codes, words="", results=()):
    return Expected(frozenset(exit_codes), words, frozenset(results))


def languages(launcher):
    return {"threads": ("c",), "command": ("python",)}.get(launcher, ("c", "python"))


def phases(fault, launcher, language):
    """Those in which it makes sense that a rank does it."""
    if fault in ENDINGS:
        checkpoint = CHECKPOINT if language == "c" and fault != "lost_socket" else ()  # it could open no file either
        starts = () if launcher == "threads" else ("load", "constructor") if language == "c" else START
        ends = END if fault not in ("exit", "lost_socket") else ()  # at the end of a rank both are what it should do
        return starts + CALLS + checkpoint + ends
    if fault in ("rounding", "flush_to_zero"):
        starts = ("load", "constructor") if language == "c" and launcher != "threads" else ()
        return starts + CALLS + (CHECKPOINT if language == "c" else ())
    return {
        "garbage": ("reads",) if language == "c" else ("hello", *CALLS),
        "nan": ("accumulate", "reads"),
        "disagree": ("accumulate", "reads"),
        "cut_file": CHECKPOINT if language == "c" else (),
        "corrupt_file": CHECKPOINT if language == "c" else (),
        "overflow": ("step", "reads") if language == "c" else (),
    }.get(fault, ())


def places(fault):
    """All (launcher, language, who, phase) in which it makes sense."""
    for launcher in LAUNCHERS:
        for language in languages(launcher):
            yield from ((launcher, language, "rank", phase) for phase in phases(fault, launcher, language))
            if fault in ("kill", "stop"):
                others = ("shim", "conductor") + (("mpirun",) if launcher == "mpirun" else ())
                yield from ((launcher, language, who, phase) for who in others for phase in CALLS)
            if fault in ("full_disk", "cut_file", "corrupt_file"):
                yield launcher, language, "conductor", "log"
            if fault == "full_disk":
                yield launcher, language, "conductor", "session"


def draw(seed):
    """Every fault once in a row of seeds, under another launcher in every row."""
    fault = FAULTS[seed % len(FAULTS)]
    choices = list(places(fault))
    launchers = [launcher for launcher in LAUNCHERS if any(choice[0] == launcher for choice in choices)]
    launcher = launchers[(seed // len(FAULTS) + seed) % len(launchers)]
    rng = random.Random(seed)
    who = rng.choice(sorted({choice[2] for choice in choices if choice[0] == launcher}))
    _, language, _, phase = rng.choice([choice for choice in choices if choice[0] == launcher and choice[2] == who])
    return Injection(seed, fault, phase, launcher, who, language)


def expected_of_another(injection):
    """A process of the suite is killed or stopped while rank 1 waits and never comes back."""
    if injection.who == "conductor":
        return expect({-9}) if injection.fault == "kill" else expect({4}, r"rank 1\b", {"hang"})
    if injection.fault == "kill":
        return expect({3, 4}, r"rank 1\b|shim|mpirun")
    return expect({4}, r"rank 1\b", {"hang"})


def expected(injection):
    fault, phase = injection.fault, injection.phase
    if phase == "session" and injection.disk_kib > 4:
        return expect({0, 3})
    if fault in ("full_disk", "cut_file", "corrupt_file") and injection.who == "conductor":
        return expect({3}, r"disk|space|is full|no verdict: ")
    if injection.who != "rank":
        return expected_of_another(injection)
    if fault in ENDINGS:
        by_command = {"crash"} if injection.launcher == "command" else set()  # how a rank ended, only the command knows
        return expect({4}, r"rank 1\b", () if phase in START else ENDINGS[fault] | by_command)
    if fault in ("rounding", "flush_to_zero") and phase in ("load", "constructor"):
        return expect({0}, r"(?i)mxcsr|rounding|flush")
    if fault == "overflow":
        return expect({1, 4}, r"rank 1\b")
    return expect({1})
