"""Test items: one for each clause, and one for the verdict on the run."""

import pytest

from pytest_zerocts import check_run


class NoVerdict(Exception):
    """A run or a clause that proves nothing: an error, neither passed nor failed."""


class NotConformant(Exception):
    """What was judged and is wrong."""


class Contract(pytest.Collector):
    """Parent of all: the check that is to run, and the run as soon as it has ended."""

    check = run = None

    def collect(self):
        for clause in self.check.clauses:
            yield ClauseItem.from_parent(self, name=f"{clause.id} {clause.title}", clause=clause)


class Item(pytest.Item):
    def reportinfo(self):
        return self.path, 0, f"{self.parent.name}::{self.name}"

    def repr_failure(self, excinfo, style=None):
        if isinstance(excinfo.value, (NoVerdict, NotConformant)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)


class ClauseItem(Item):
    def __init__(self, *, clause, **others):
        super().__init__(**others)
        self.clause = clause

    def setup(self):
        """Raises for whatever is no verdict on this clause: pytest calls that an error."""
        run = self.parent.run
        if not run.is_judged:
            raise NoVerdict(run.sentence)
        if self.clause.id not in run.asked:
            pytest.skip(self.line("not asked of this run, which judges a part of the clauses"))
        result = run.results.get(self.clause.id)
        if result in check_run.SKIPPED:
            words, reason = result.replace("self_", "self-").replace("_", " "), run.reason(self.clause.id)
            _, by_an_option, option = reason.partition("left out by ")  # the subject has it
            pytest.skip(self.line(by_an_option + option if option else f"{words}: {reason}"))
        if result not in check_run.PASSED | check_run.KNOWN | check_run.FAILED:
            raise NoVerdict(f"{result or 'the clause did not end'}: {run.reason(self.clause.id) or run.sentence}")

    def runtest(self):
        run = self.parent.run
        result = run.results[self.clause.id]
        if result in check_run.KNOWN:
            pytest.xfail(self.line(run.reason(self.clause.id)))
        if result in check_run.FAILED:
            raise NotConformant(run.reason(self.clause.id))

    def line(self, reason):
        """For summaries, which tell a reason without its item."""
        return f"{self.clause.id}: {' '.join(reason.replace(check_run.BETWEEN, '; ').split())}"

    @property
    def seconds(self):
        return self.parent.run.seconds.get(self.clause.id, 0.0)


class VerdictItem(Item):
    seconds = 0.0
    # What junit.xml tells beside the clauses.
    SUITES = ("expectations", "groups", "run")

    def text(self):
        run = self.parent.run
        return check_run.BETWEEN.join([run.sentence, *filter(None, map(run.reason, self.SUITES))])

    def setup(self):
        run = self.parent.run
        if run.is_judged and run.exit_code == check_run.NOTHING_APPLICABLE:
            pytest.skip(run.sentence)
        if not run.is_judged or run.exit_code not in (check_run.CONFORMANT, check_run.NOT_CONFORMANT):
            raise NoVerdict(self.text())

    def runtest(self):
        if self.parent.run.exit_code == check_run.NOT_CONFORMANT:
            raise NotConformant(self.text())
