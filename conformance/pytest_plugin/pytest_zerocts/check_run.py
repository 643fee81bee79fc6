"""One `zerocts check`, read from what it left: results.ndjson says what each clause came to, junit.xml says why."""

import json
import xml.etree.ElementTree as ElementTree

# The words of results.ndjson (conformance/report/log/result.hpp), by what they are to pytest. All others prove nothing.
PASSED = {"pass"}
SKIPPED = {"not_applicable", "self_reported"}
KNOWN = {"expected_failure"}
FAILED = {"fail", "refused", "disagreement", "garbage"}

CONFORMANT, NOT_CONFORMANT, NOTHING_APPLICABLE = 0, 1, 77
CRASH_OR_HANG, STALE, TOO_FEW, INTERRUPTED = 4, 5, 6, 130
WITH_A_LOG = {CONFORMANT, NOT_CONFORMANT, NOTHING_APPLICABLE, CRASH_OR_HANG, STALE, TOO_FEW, INTERRUPTED}

BETWEEN = "\n\n"  # two reasons


class CheckRun:
    """What a run that ended says of its clauses and of itself."""

    def __init__(self, folder, ended):
        self.exit_code = ended.exit_code
        self.verdict = ([""] + ended.said.splitlines())[-1] or "zerocts said nothing"
        self.asked, self.results, self.seconds, self.reasons = [], {}, {}, {}
        self.is_judged = self.exit_code in WITH_A_LOG
        if not self.is_judged:
            return
        try:
            self.read(folder / "results.ndjson", ended.pid)
            self.reasons = reasons_of(folder / "junit.xml")
        except (OSError, ValueError, KeyError, ElementTree.ParseError) as problem:
            self.is_judged = False
            self.verdict = f"expected the log and the JUnit file of this run in {folder}, got {problem!r}"

    def read(self, log, pid):
        records = [json.loads(line) for line in log.read_text(encoding="utf-8", errors="replace").splitlines()]
        if not records or records[0]["pid"] != pid or records[-1]["record"] != "run_end":
            raise ValueError("that of another run, or the beginning of one")
        self.asked, self.verdict = records[0]["clauses"], records[-1]["verdict"]
        for record in records:
            if record["record"] == "clause_end":
                self.results[record["clause"]] = record["result"]
                self.seconds[record["clause"]] = record["seconds"]

    @property
    def sentence(self):
        """The verdict and exit code of the run as a whole."""
        return f"{self.verdict} (exit code {self.exit_code})"

    def reason(self, suite):
        return self.reasons.get(suite, "")


def reasons_of(junit):
    """{first word of a suite's name, the clause's id: what stands in its cases that did not pass}, each text once."""
    reasons = {}
    for suite in ElementTree.parse(junit).getroot().iter("testsuite"):
        told = {}
        for case in suite.iter("testcase"):
            for end in case:
                told.setdefault((end.get("message", ""), end.text or ""), []).append(case.get("name"))
        lines = [f"{', '.join(names)}: {message}\n{text}".rstrip() for (message, text), names in told.items()]
        reasons[suite.get("name").split(" ")[0]] = BETWEEN.join(lines)
    return reasons
