#!/usr/bin/env python3
"""pytest --zerocts-subject, judged by pytest's own pytester: outcomes are those of the check, and nothing is green that
proves nothing.

usage: plugin_test.py ZEROCTS RIGHT_PLUGIN WRONG_PLUGIN      exit 77 where there is no pytest
"""

import json
import os
import stat
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

try:
    import pytest
except ImportError:
    print("skipped: expected pytest, got none; install it (Debian: python3-pytest)")
    sys.exit(77)

NAMES = "PROGRAM_OF_ZEROCTS", "RIGHT_PLUGIN", "WRONG_PLUGIN"
if __name__ == "__main__":  # goes on in pytest, which reads this file as a module
    os.environ.update(zip(NAMES, map(os.path.abspath, sys.argv[1:4])))
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # what else this Python has
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    sys.exit(pytest.main(["-p", "pytester", "-p", "no:cacheprovider", __file__, *sys.argv[4:]]))

PROGRAM, RIGHT, WRONG = (os.environ[name] for name in NAMES)
BRIEFLY = "--ranks 2 --launcher threads --cases 8"
KILLS_IT = "C-ZERO-010"  # the clause that the wrong one fails
INTERRUPTED, USAGE, NOTHING = (
    pytest.ExitCode.INTERRUPTED,
    pytest.ExitCode.USAGE_ERROR,
    pytest.ExitCode.NO_TESTS_COLLECTED,
)


@pytest.fixture
def judge(pytester):
    """pytest as a user types it, in an empty folder."""

    def run(words, *options, subject=f"plugin:{RIGHT}", program=PROGRAM):
        return pytester.runpytest_inprocess(
            "-p", "pytest_zerocts.plugin", "-p", "no:cacheprovider", "-v", "-rA",
            "--zerocts-subject", subject, f"--zerocts-program={program}", f"--zerocts-args={words}", *options,
        )  # fmt: skip

    return run


@pytest.fixture
def stand_in(pytester):
    """A program that does what zerocts does, but for `check`: that is a line of a shell."""

    def write(line):
        path = pytester.path / "stand_in"
        path.write_text(f'#!/bin/sh\n[ "$1" = check ] || exec "{PROGRAM}" "$@"\n{line}\n')
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    return write


def test_each_clause_is_an_item_with_its_title(judge):
    ended = judge(f"C-ZERO-001 C-ZERO-003 refusal {BRIEFLY}")
    ended.stdout.fnmatch_lines(["zerocts::C-ZERO-001 * PASSED*", "zerocts::verdict PASSED*", "*conformant, partial*"])
    assert ended.ret == 0
    assert ended.parseoutcomes() == {"passed": 4}


def test_a_wrong_plugin_fails_with_the_line_that_replays_it(judge):
    ended = judge(f"{KILLS_IT} C-ZERO-110 {BRIEFLY}", subject=f"plugin:{WRONG}")
    ended.stdout.fnmatch_lines([f"zerocts::{KILLS_IT} * FAILED*", "zerocts::verdict FAILED*"])
    ended.stdout.fnmatch_lines([f"*{KILLS_IT} requires:*", "*replay *zerocts replay *", "*--subject *"])
    assert (ended.ret, ended.parseoutcomes()) == (1, {"passed": 1, "failed": 2})


def test_what_is_not_applicable_is_skipped_with_the_reason(judge):
    ended = judge(f"C-ZERO-001 C-ZERO-081 {BRIEFLY}")
    ended.stdout.fnmatch_lines(["SKIPPED*C-ZERO-081: not applicable: *checkpoint*"])
    assert ended.parseoutcomes() == {"passed": 2, "skipped": 1}
    ended = judge(f"C-ZERO-081 {BRIEFLY}")
    assert ended.parseoutcomes() == {"skipped": 2}  # the verdict too


def test_what_an_option_leaves_out_is_skipped_and_says_by_which(judge):
    ended = judge(f"C-ZERO-055 C-ZERO-050 --optimizer adamw {BRIEFLY}", subject="native")
    ended.stdout.fnmatch_lines(["SKIPPED*C-ZERO-055: left out by --optimizer adamw*"])
    ended.stdout.no_fnmatch_line("*C-ZERO-055*not applicable*")
    assert ended.parseoutcomes() == {"passed": 2, "skipped": 1}


def test_what_another_shard_judges_is_skipped(judge):
    ended = judge(f"C-ZERO-001 C-ZERO-003 --shard 2/2 {BRIEFLY}")
    ended.stdout.fnmatch_lines(["SKIPPED*C-ZERO-001: not asked of this run*"])
    assert ended.parseoutcomes() == {"passed": 2, "skipped": 1}


def test_what_is_self_reported_is_skipped(judge):
    ended = judge(f"C-ZERO-100 {BRIEFLY}", subject="native")
    ended.stdout.fnmatch_lines(["SKIPPED*C-ZERO-100: self-reported: *"])
    assert ended.parseoutcomes() == {"passed": 1, "skipped": 1}  # the verdict is what exit code 0 says


def test_a_known_failure_is_expected_to_fail_and_no_pass(judge, pytester):
    judge(f"{KILLS_IT} {BRIEFLY} --precision fp32", subject=f"plugin:{WRONG}")
    log = (pytester.path / "zerocts-results/pytest/results.ndjson").read_text().splitlines()
    failure = next(record for record in map(json.loads, log) if record["record"] == "failure")
    (pytester.path / "case.json").write_text(json.dumps(failure["case"]))
    entry = {"clause": KILLS_IT, "when": {}, "result": "fail", "message": "a sum instead of the mean"}
    entry |= {"issue": "https://example.org/issues/1", "date": "2026-11-26", "case": "case.json"}
    (pytester.path / "known.json").write_text(json.dumps({"subject": "full", "entries": [entry]}))
    ended = judge(f"{KILLS_IT} {BRIEFLY} --precision fp32 --expect known.json", subject=f"plugin:{WRONG}")
    ended.stdout.fnmatch_lines(["XFAIL*a sum instead of the mean*"])
    assert ended.parseoutcomes() == {"xfailed": 1, "passed": 1}
    ended = judge(f"{KILLS_IT} {BRIEFLY} --expect known.json")  # one that has no such fault
    assert (ended.ret, ended.parseoutcomes().get("passed", 0)) == (1, 0), ended.stdout.str()


def test_one_check_runs_for_all_items_and_only_what_is_selected(judge, stand_in, pytester):
    program = stand_in(f'echo "$@" >> calls; exec "{PROGRAM}" "$@"')
    ended = judge(BRIEFLY, "-k", "C-ZERO-001 or C-ZERO-003", program=program)
    clauses = json.loads(subprocess.run([PROGRAM, "list", "--json"], capture_output=True, check=True).stdout)
    assert ended.parseoutcomes() == {"passed": 3, "deselected": len(clauses) - 2}, ended.stdout.str()
    (call,) = (pytester.path / "calls").read_text().splitlines()
    assert call.startswith("check C-ZERO-001 C-ZERO-003 --subject")


def test_the_verdict_cannot_be_left_out(judge):
    ended = judge(f"C-ZERO-001 {BRIEFLY} --require zero-1", "-k", "C-ZERO-001")
    ended.stdout.fnmatch_lines(["zerocts::verdict FAILED*"])
    assert ended.ret == 1


def test_too_few_cases_are_an_error(judge):
    ended = judge("C-ZERO-010 --ranks 2 --launcher threads --cases 100000 --time-budget 1s")
    ended.stdout.fnmatch_lines(["zerocts::C-ZERO-010 * ERROR*", "zerocts::verdict ERROR*", "*(exit code 6)*"])
    assert ended.parseoutcomes() == {"errors": 2}


@pytest.mark.parametrize(("code", "sentence"), [(2, "expected a subject"), (3, "the suite failed"), (9, "killed")])
def test_a_run_without_a_verdict_is_an_error_with_its_sentence(judge, stand_in, code, sentence):
    ended = judge(f"C-ZERO-001 {BRIEFLY}", program=stand_in(f'echo "zerocts: {sentence}" >&2; exit {code}'))
    ended.stdout.fnmatch_lines([f"*zerocts: {sentence} (exit code {code})*"])
    assert ended.parseoutcomes() == {"errors": 2}
    assert ended.ret == 1


def test_a_subject_that_nobody_knows_is_an_error(judge):
    ended = judge(f"C-ZERO-001 {BRIEFLY}", subject="nobody")
    ended.stderr.fnmatch_lines(['ERROR: --zerocts-subject*expected a subject*got "nobody"*'])
    assert ended.ret == USAGE


def test_a_check_that_does_not_end_is_stopped(judge, stand_in):
    ended = judge(f"C-ZERO-001 {BRIEFLY}", "--zerocts-timeout", "1", program=stand_in("exec sleep 100"))
    ended.stdout.fnmatch_lines(["*expected the check to end within 1 s*"])
    assert ended.parseoutcomes() == {"errors": 2}


def test_an_old_log_is_not_read_for_a_run_that_failed(judge, stand_in):
    assert judge(f"C-ZERO-001 {BRIEFLY}").ret == 0
    for code in (0, 1, 6):  # ended without writing anything
        ended = judge(f"C-ZERO-001 {BRIEFLY}", program=stand_in(f"exit {code}"))
        assert ended.parseoutcomes() == {"errors": 2}, ended.stdout.str()


@pytest.mark.parametrize("words", ["C-ZERO-999", "ownershp", "--no-such-option 1", "--cases"])
def test_words_that_mean_nothing_are_refused_before_anything_runs(judge, words):
    ended = judge(words)
    ended.stderr.fnmatch_lines(["ERROR: --zerocts-subject, --zerocts-args: *"])
    assert ended.ret == USAGE


def test_a_selection_of_nothing_is_not_green(judge):
    ended = judge(BRIEFLY, "-k", "no-such-clause")
    assert ended.ret == NOTHING


def test_several_processes_of_pytest_are_refused(pytester, judge):
    pytester.makeconftest("def pytest_addoption(parser): parser.addoption('--numprocesses', type=int)")
    ended = judge(BRIEFLY, "--numprocesses", "2")
    ended.stderr.fnmatch_lines(["ERROR: --zerocts-subject: expected one process of pytest*"])
    assert ended.ret == USAGE


def test_arguments_without_a_subject_are_refused(pytester):
    ended = pytester.runpytest_inprocess("-p", "pytest_zerocts.plugin", "--zerocts-args", BRIEFLY)
    assert ended.ret == USAGE


def test_own_tests_run_beside_it_and_alone_without_it(judge, pytester):
    pytester.makepyfile("def test_of_mine(): pass")
    assert judge(f"C-ZERO-001 {BRIEFLY}").parseoutcomes() == {"passed": 3}
    assert judge(f"C-ZERO-001 {BRIEFLY}", "-m", "zerocts").parseoutcomes() == {"passed": 2, "deselected": 1}
    alone = pytester.runpytest_inprocess("-p", "pytest_zerocts.plugin")
    assert alone.parseoutcomes() == {"passed": 1}


def test_collecting_starts_no_check(judge, stand_in, pytester):
    ended = judge(f"C-ZERO-001 {BRIEFLY}", "--collect-only", "-q", program=stand_in("touch it_was_started"))
    assert ended.ret == 0
    ended.stdout.fnmatch_lines(["*C-ZERO-001*", "*verdict*"])
    assert not (pytester.path / "it_was_started").exists()


def test_junit_of_pytest_says_the_same(judge, pytester):
    judge(f"{KILLS_IT} C-ZERO-081 {BRIEFLY}", "--junitxml", "of_pytest.xml", subject=f"plugin:{WRONG}")
    (suite,) = ElementTree.parse(pytester.path / "of_pytest.xml").getroot().iter("testsuite")
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors"), suite.get("skipped")) == (
        "3",
        "2",
        "0",
        "1",
    )
