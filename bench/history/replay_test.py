#!/usr/bin/env python3
"""Old commits replayed: a made-up repository whose programs print what ours did, and old output that is translated."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from for_test import made_up
from reading import read_file
from replay.old_output import OtherOutput, name_of, of_account_bench, of_step_bench

REPLAY = Path(__file__).resolve().parent / "replay_commits.py"
STEP = {"model": "tiny", "overlap": False, "plan": "padded", "precision": "fp32", "ranks": 2, "stage": 1}
STEP_NAME = "optimizer_step/model=tiny/overlap=false/plan=padded/precision=fp32/ranks=2/stage=1/transport=threads"
ACCOUNT_NAME = (
    "bytes_of_all_ranks/model=tiny/overlap=false/plan=padded/precision=fp32/ranks=2/stage=0/what=all-gather received"
)
OLD_STEP = {
    "model": "tiny",
    "ranks": 2,
    "results": [
        {"transport": "threads", "precision": "fp32", "stage": 1, "step": [3.0, 1.0, 2.0], "bound": [0.5]}
        | {part: [0.25] for part in ("reduce_scatter", "norm", "update", "all_gather", "bound_update")}
    ],
}
OLD_ACCOUNT = """tiny, plan padded, 2 ranks, one step of 8 sequences per rank

bytes                                                      formula        padding          counted
fp32 stage 0 all ranks all-gather received                  474112             16           474128  equal
fp32 stage 0 all ranks heap (mallinfo2)                    3801088                         3945968  +3.81 %, too small
fp32 stage 0 rank 0    process (/proc, PSS)                1900544                         2122752  +11.69 %, too small
"""
ACCOUNT = """#include <cstdio>
#include <cstring>
int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (!std::strcmp(argv[i], "--out")) return 2;
  std::puts(R"(TEXT)");
}
"""
CMAKE = """cmake_minimum_required(VERSION 3.25)
project(old LANGUAGES CXX)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
add_executable(step_bench step_bench.cpp)
add_executable(account_bench account_bench.cpp)
"""
PROGRAM = """#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
int main(int argc, char** argv) {
  if (argc == 2) std::cout << "--out TEXT  Folder for figures";
  for (int i = 1; i + 1 < argc; ++i)
    if (!std::strcmp(argv[i], "--out")) std::ofstream(argv[i + 1] + std::string("/step_bench.json")) << R"(JSON)";
}
"""


class OldOutput(unittest.TestCase):
    def test_names_are_those_of_today(self):
        self.assertEqual(name_of("optimizer_step", STEP | {"transport": "threads"}), STEP_NAME)

    def test_step_bench(self):
        found = of_step_bench(json.dumps(OLD_STEP), "padded")
        self.assertEqual(found[STEP_NAME], (2.0, [3.0, 1.0, 2.0], 0.5))
        parts = {name.split("part=")[1].split("/")[0]: figure[2] for name, figure in found.items() if "part=" in name}
        self.assertEqual(parts, {"reduce_scatter": None, "norm": None, "update": 0.25, "all_gather": None})

    def test_account_bench(self):
        self.assertEqual(of_account_bench(OLD_ACCOUNT), {ACCOUNT_NAME: (474128, [], 474128)})

    def test_other_output_is_refused(self):
        for text in ("", "[]", '{"results": [{"stage": 1}]}'):
            with self.assertRaises(OtherOutput):
                of_step_bench(text, "padded")
            with self.assertRaises(OtherOutput):
                of_account_bench(text)


class Replay(unittest.TestCase):
    """Three commits: the second does not compile."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.repository, self.records = self.folder / "repository", self.folder / "replayed.ndjson"
        (self.repository / "inside").mkdir(parents=True)
        self.git("init", "--quiet")
        (self.repository / "CMakeLists.txt").write_text(CMAKE)
        (self.repository / "account_bench.cpp").write_text(ACCOUNT.replace("TEXT", OLD_ACCOUNT))
        program = PROGRAM.replace("JSON", json.dumps(OLD_STEP))
        self.ids = [self.commit(program), self.commit("broken"), self.commit(program.replace("3.0", "9.0"))]
        case = STEP | {"transport": "threads"}
        like = [made_up.record(name=STEP_NAME, case=case), made_up.record(name="optimizer_step/new=1", case=case)]
        bytes_case = {field: value for field, value in STEP.items() if field != "stage"} | {"stage": 0}
        like.append(made_up.record(name=ACCOUNT_NAME, case=bytes_case, unit="byte", direction="equal"))
        made_up.write(self.folder / "like.ndjson", like)

    def git(self, *arguments):
        who = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"]
        command = ["git", *who, "-C", self.repository, *arguments]
        rebased = os.environ | {"GIT_COMMITTER_DATE": "2026-01-02T03:04:05+00:00"}  # all in one second
        return subprocess.run(command, check=True, capture_output=True, text=True, env=rebased).stdout.strip()

    def commit(self, program):
        (self.repository / "step_bench.cpp").write_text(program)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "a commit")
        return self.git("rev-parse", "HEAD")

    def replay(self, *more):
        command = [sys.executable, REPLAY, "--first", self.ids[0], "--like", self.folder / "like.ndjson"]
        command += ["--records", self.records, "--repository", self.repository / "inside"]
        command += ["--work", self.folder / "work", *more]
        return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)

    def test_every_commit_has_its_figure_or_its_error(self):
        ended = self.replay()
        self.assertEqual(ended.returncode, 0, ended.stderr)
        records = read_file(self.records)
        self.assertEqual([record["commit"]["id"] for record in records[::3]], self.ids[::-1])
        self.assertEqual([record["value"] for record in records[::3]], [2.0, None, 2.0], ended.stderr)
        dates = [record["commit"]["date"] for record in records[::3]]
        self.assertEqual(dates[::-1], [f"2026-01-02T03:04:05.00{place}+00:00" for place in range(3)])
        self.assertEqual(records[0]["samples"], [9.0, 1.0, 2.0])
        self.assertEqual([record["value"] for record in records[2::3]], [474128, None, 474128])
        self.assertRegex(records[3]["error"], "^building ended with 1: .*error")
        self.assertEqual({record["error"] for record in (records[1], records[7])}, {"it does not measure this"})

    def test_goes_on_where_it_stopped(self):
        stopped = self.replay("--budget", "0")
        self.assertEqual((stopped.returncode, self.records.exists()), (6, False), stopped.stderr)
        self.assertEqual(self.replay("--count", "2").returncode, 0)
        self.assertEqual(
            [record["commit"]["id"] for record in read_file(self.records)[::3]], [self.ids[2], self.ids[0]]
        )
        self.assertEqual(self.replay().returncode, 0)
        self.assertEqual([record["commit"]["id"] for record in read_file(self.records)[6::3]], [self.ids[1]])

    def test_mistakes_are_one_sentence(self):
        unknown = self.replay("--last", "nowhere")
        made_up.write(self.folder / "like.ndjson", [made_up.record()])
        for ended, words in [
            (unknown, "git rev-parse ended with 128"),
            (self.replay(), "expected records of step_bench and account_bench, got step_time"),
        ]:
            self.assertEqual((ended.returncode, ended.stderr.count("\n")), (2, 1), ended.stderr)
            self.assertIn(words, ended.stderr)


if __name__ == "__main__":
    unittest.main()
