"""pytest --zerocts-subject torch-fsdp2: one `zerocts check`, and a test item for each of its clauses."""

import shlex
from pathlib import Path

import pytest

from pytest_zerocts import check_run, program
from pytest_zerocts.clause_items import ClauseItem, Contract, VerdictItem

HOUR = 3600
FOLDER = "zerocts-results/pytest"
MARK = "zerocts"
CONTRACT = pytest.StashKey()  # of a session that judges a subject


def pytest_addoption(parser):
    group = parser.getgroup("zerocts", "conformance of a ZeRO or FSDP implementation")
    group.addoption("--zerocts-subject", metavar="SUBJECT", help="what `zerocts check --subject` takes; judges it")
    group.addoption("--zerocts-args", metavar="WORDS", default="", help="clauses, families, options of zerocts check")
    group.addoption("--zerocts-program", metavar="FILE", help="default: that of the wheel, else zerocts in PATH")
    group.addoption("--zerocts-timeout", metavar="SECONDS", type=int, default=HOUR, help="of the whole check")


def pytest_configure(config):
    config.addinivalue_line("markers", f"{MARK}: a clause of ZeRO-CTS, or the verdict on all of them")
    if not config.getoption("--zerocts-subject"):
        if config.getoption("--zerocts-args"):
            raise pytest.UsageError("--zerocts-args: expected --zerocts-subject with it, got none")
        return
    if hasattr(config, "workerinput") or getattr(config.option, "numprocesses", None):
        raise pytest.UsageError(
            "--zerocts-subject: expected one process of pytest, got several by -n; the check itself runs world sizes "
            "in parallel (zerocts check --jobs)"
        )


class Check:
    """The command line of the check, as it was understood before any rank starts."""

    def __init__(self, config):
        self.seconds = config.getoption("--zerocts-timeout")
        subject, words = config.getoption("--zerocts-subject"), config.getoption("--zerocts-args")
        try:
            self.program = program.find_program(config.getoption("--zerocts-program"))
            self.arguments = ["--subject", subject, *shlex.split(words)]
            understood = program.words_of_check(self.program, self.arguments)
            self.selectors = understood.get("CLAUSE|FAMILY", "").split()
            self.clauses = program.clauses(self.program, self.selectors)
        except (program.Refused, ValueError) as refused:
            raise pytest.UsageError(f"--zerocts-subject, --zerocts-args: {refused}") from None
        if "--out" not in understood:
            understood["--out"] = FOLDER
            self.arguments += ["--out", FOLDER]
        self.folder = Path(understood["--out"])

    def command(self, chosen):
        """`chosen`: ids of the clauses of which items are left; where that is a part, no other one is run."""
        narrowed = [] if self.selectors or len(chosen) == len(self.clauses) else chosen
        return [self.program, "check", *narrowed, *self.arguments]


def judges(config):
    return config.stash.get(CONTRACT, None)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_collection_modifyitems(session, config, items):
    """Adds the clauses before -k and -m choose among all items, and the verdict behind them: it cannot be left out."""
    if not config.getoption("--zerocts-subject"):
        yield
        return
    contract = Contract.from_parent(session, name="zerocts", nodeid="zerocts")
    contract.add_marker(MARK)
    contract.check = Check(config)
    items.extend(session.genitems(contract))
    yield
    if any(isinstance(item, ClauseItem) for item in items):
        items.append(VerdictItem.from_parent(contract, name="verdict"))
        config.stash[CONTRACT] = contract


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    """Runs the check before any test, so that its time is not that of the first clause."""
    contract = judges(session.config)
    if not contract or session.config.option.collectonly:
        return
    check = contract.check
    chosen = [item.clause.id for item in session.items if isinstance(item, ClauseItem)]
    with session.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        ended = program.run(check.command(chosen), check.seconds)
    contract.run = check_run.CheckRun(check.folder, ended)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    if isinstance(item, (ClauseItem, VerdictItem)) and call.when == "call":
        outcome.get_result().duration = item.seconds


def pytest_terminal_summary(terminalreporter, config):
    contract = judges(config)
    if contract and contract.run:
        terminalreporter.section("zerocts")
        terminalreporter.line(contract.run.sentence)
        terminalreporter.line(f"all of it stands in {contract.check.folder}: report.html, results.ndjson, junit.xml")
