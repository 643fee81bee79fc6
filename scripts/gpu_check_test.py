#!/usr/bin/env python3
"""Tests of scripts/gpu_check as far as they need no GPU: nvidia-smi and the programs are played by scripts.

usage: gpu_check_test.py FOLDER     FOLDER holds gpu_check and gpu/
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SCRIPTS = Path(sys.argv.pop()).resolve()
sys.path.insert(0, str(SCRIPTS / "gpu"))
import running  # noqa: E402
import sections  # noqa: E402

ONE_GPU = "echo 'NVIDIA H200, 570.86.15, 143771, GPU-5a'"
PASSES = "echo '[       OK ] A.First (20 ms)'; echo '[       OK ] A.Second (7 ms)'"
FAILS = "echo '[  FAILED  ] A.First (20 ms)'; echo '1 FAILED TEST'; exit 1"
CHECKS = """out=$(echo "$*" | sed 's/.*--out //'); mkdir -p "$out"
echo '{"record": "clause_end", "clause": "C-ZERO-001", "result": "pass", "cases": 40, "seconds": 1.5}' >"$out/results.ndjson"
echo '{"record": "clause_end", "clause": "C-ZERO-002", "result": "crash", "cases": 3, "seconds": 0.5}' >>"$out/results.ndjson"
exit 4"""


class Machine(unittest.TestCase):
    """A folder with a nvidia-smi, with programs, and with what gpu_check leaves."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.script("path/nvidia-smi", ONE_GPU)
        for program in (
            "cuda_device_test",
            "cuda_engine_test",
            "cuda_fast_math_test",
            "training_on_text_test",
            "zerocts",
            "nccl_gpu_test",
        ):
            self.script(f"programs/bin/{program}", PASSES)

    def script(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def start(self, *command):
        path = f"{self.folder / 'path'}:{os.environ['PATH']}"
        return subprocess.run(
            command, env={**os.environ, "PATH": path}, cwd=self.folder, capture_output=True, text=True, check=False
        )

    def start_check(self, *arguments):
        options = ("--programs", self.folder / "programs", "--into", self.folder / "gpu.ndjson")
        return self.start(SCRIPTS / "gpu/check.py", *options, *arguments)

    def check(self, *arguments):
        """(exit code, the sections' records) of one call of gpu/check.py."""
        before = len(self.records())
        ended = self.start_check(*arguments)
        self.said = ended.stdout + ended.stderr
        return ended.returncode, [record for record in self.records()[before:] if record["record"] == "section"]

    def records(self):
        file = self.folder / "gpu.ndjson"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


class GpuCheck(Machine):
    def test_a_machine_without_gpu_has_an_exit_code_of_its_own(self):
        self.script("path/nvidia-smi", "echo 'No devices were found'; exit 6")
        for command in ([SCRIPTS / "gpu_check"], [SCRIPTS / "gpu/check.py", "--programs", self.folder]):
            ended = self.start(*command)
            self.assertEqual(ended.returncode, 77)
            self.assertEqual(
                ended.stderr, "no GPU on this machine (nvidia-smi: No devices were found): nothing was built or run\n"
            )
        self.assertFalse((self.folder / "gpu.ndjson").exists())

    def test_help_is_the_text_at_its_beginning_and_needs_no_gpu(self):
        self.script("path/nvidia-smi", "exit 6")
        ended = self.start(SCRIPTS / "gpu_check", "--help")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        for option in (
            "--budget SECONDS",
            "--fresh",
            "--only A,B",
            "--into FILE",
            "--pack [FOLDER]",
            "77: there is no GPU",
        ):
            self.assertIn(option, ended.stdout)
        self.assertNotIn("here=", ended.stdout)

    def test_the_file_says_where_and_when(self):
        self.check("--only", "kernels", "--command", "gpu_check --only kernels")
        machine = self.records()[0]
        self.assertEqual(
            machine["gpus"], [{"name": "NVIDIA H200", "driver": "570.86.15", "memory_mib": 143771, "uuid": "GPU-5a"}]
        )
        self.assertEqual(machine["command"], "gpu_check --only kernels")
        self.assertRegex(machine["date"], r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertLessEqual({"nvcc", "nccl", "python", "commit", "build", "machine"}, set(machine))

    def test_every_result_is_in_the_file_before_the_next_is_made(self):
        self.script(
            "programs/bin/cuda_device_test",
            f"""echo '[       OK ] A.First (20 ms)'
for i in $(seq 100); do grep -q A.First {self.folder}/gpu.ndjson && echo '[       OK ] A.Second (7 ms)' && exit 0; sleep 0.1; done; exit 1""",
        )
        self.assertEqual(self.check("--only", "kernels")[0], 0, self.said)
        results = [record for record in self.records() if record["record"] == "result"]
        self.assertEqual(
            [(record["name"], record["result"], record["seconds"]) for record in results],
            [("A.First", "passed", 0.02), ("A.Second", "passed", 0.007)],
        )

    def test_clauses_are_results_too(self):
        self.script("programs/bin/zerocts", CHECKS)
        code, ends = self.check("--only", "check")
        self.assertEqual((code, ends[0]["result"]), (1, "failed"))
        self.assertEqual(
            [
                (record["name"], record["result"], record["text"])
                for record in self.records()
                if record["record"] == "result"
            ],
            [("C-ZERO-001", "passed", "pass, 40 cases"), ("C-ZERO-002", "failed", "crash, 3 cases")],
        )

    def test_what_the_machine_does_not_have_is_not_run(self):
        """In the words of zerocts, and of it alone: any other mistake in the command is a failure."""
        asked, seen = (
            "zerocts: --option, --device: expected what native can have with 4 ranks under threads, got device=cuda; it says: ",
            "no GPU",
        )
        self.script("programs/bin/zerocts", f"echo '{asked}{seen}' >&2; exit 2")
        code, ends = self.check("--only", "check")
        self.assertEqual((code, ends[0]["result"], ends[0]["reason"]), (6, "not run", seen))
        lacks = "--python: expected torch, numpy and pyzmq in the environment of python3, got none of pyzmq; install it there"
        self.script("programs/bin/zerocts", f"echo 'zerocts: subject torch-zero1: {lacks}' >&2; exit 2")
        code, ends = self.check("--only", "torch-zero1")
        self.assertEqual((code, ends[0]["result"], ends[0]["reason"]), (6, "not run", lacks))
        for exit_code, said in ((2, "zerocts: --tier: expected smoke"), (1, f"{asked}{seen}")):
            self.script("programs/bin/zerocts", f"echo '{said}' >&2; exit {exit_code}")
            code, ends = self.check("--only", "check")
            self.assertEqual((code, ends[0]["result"]), (1, "failed"), self.said)

    def test_figures_are_results_too(self):
        self.script(
            "programs/bin/cuda_speed",
            """echo '{"name":"copy","value":2e12,"unit":"byte/s","bound":null,"case":{"seconds":0.5},"error":null}'
echo 'a line for people'
echo '{"name":"AdamW","value":1.9e12,"unit":"byte/s","bound":{"name":"copy","value":2e12},"case":{"seconds":0.25,"goal":0.9},"error":null}'
echo '{"name":"product by cuBLAS","value":null,"case":{},"error":"not run: no libcublas.so"}'""",
        )
        code, ends = self.check("--only", "speed")
        self.assertEqual((code, ends[0]["result"]), (0, "passed"), self.said)
        results = [record for record in self.records() if record["record"] == "result"]
        self.assertEqual(
            [(record["name"], record["result"], record["seconds"], record["text"]) for record in results],
            [
                ("copy", "measured", 0.5, "2e+12 byte/s"),
                ("AdamW", "measured", 0.25, "1.9e+12 byte/s, 0.950 of copy, goal 0.9"),
                ("product by cuBLAS", "not run", 0, "no libcublas.so"),
            ],
        )
        self.assertEqual(results[1]["figure"]["bound"], {"name": "copy", "value": 2e12})

    def test_what_does_not_fit_into_the_budget_is_left_and_said(self):
        code, ends = self.check("--budget", "230", "--spent", "60", "--only", "kernels,engine,check,nccl-1")
        self.assertEqual(code, 6)
        self.assertEqual(
            [(end["section"], end["result"]) for end in ends],
            [("kernels", "passed"), ("engine", "left"), ("check", "left"), ("nccl-1", "passed")],
        )
        self.assertRegex(ends[1]["reason"], r"^it may take 180 s, and 1[56]\d s are left$")

    def test_time_that_a_section_did_not_need_serves_the_next(self):
        code, ends = self.check("--budget", "250", "--only", "kernels,engine,check")
        self.assertEqual((code, [end["result"] for end in ends]), (0, ["passed"] * 3), self.said)

    def test_a_second_call_goes_on_where_the_first_stopped(self):
        self.check("--budget", "130", "--only", "kernels,nccl-1")
        code, ends = self.check("--only", "kernels,nccl-1")
        self.assertEqual((code, [end["section"] for end in ends]), (0, ["nccl-1"]), self.said)
        self.assertIn("kernels: every kernel against the host (on 20", self.said)
        self.assertEqual(
            [end["section"] for end in self.check("--only", "kernels,nccl-1", "--fresh")[1]], ["kernels", "nccl-1"]
        )

    def test_other_programs_or_another_driver_begin_anew(self):
        self.check("--only", "kernels")
        self.assertEqual(self.check("--only", "kernels")[1], [])
        self.script("path/nvidia-smi", ONE_GPU.replace("570", "580"))
        self.assertEqual(len(self.check("--only", "kernels")[1]), 1)
        self.script("programs/lib/zerocts/subjects/native.so", "")
        self.assertEqual(len(self.check("--only", "kernels")[1]), 1)

    def test_a_failure_of_an_earlier_call_stays_one(self):
        self.script("programs/bin/cuda_device_test", FAILS)
        self.assertEqual(self.check("--only", "kernels")[0], 1)
        code, ends = self.check("--only", "kernels,nccl-1")
        self.assertEqual((code, [(end["section"], end["result"]) for end in ends]), (1, [("nccl-1", "passed")]))

    def test_what_could_not_be_run_is_no_pass_and_is_tried_again(self):
        self.script("programs/bin/nccl_gpu_test", "echo 'not run: comm nccl: no libnccl.so.2 could be loaded'; exit 77")
        for _ in range(2):
            code, ends = self.check("--only", "nccl-1")
            self.assertEqual((code, ends[0]["result"]), (6, "not run"))
            self.assertEqual(ends[0]["reason"], "comm nccl: no libnccl.so.2 could be loaded")

    def test_a_crash_is_named(self):
        self.script("programs/bin/cuda_device_test", "echo '[ RUN      ] A.First'; kill -SEGV $$")
        code, ends = self.check("--only", "kernels")
        self.assertEqual(
            (code, ends[0]["result"], ends[0]["reason"]), (1, "failed", "SIGSEGV; last it said: [ RUN      ] A.First")
        )

    def test_a_file_whose_last_line_was_cut_off_is_gone_on_with(self):
        self.check("--only", "kernels")
        with open(self.folder / "gpu.ndjson", "a", encoding="utf-8") as file:
            file.write('{"record": "section", "gpus": [{}')
        self.start_check("--only", "kernels")
        self.assertEqual(
            [record["record"] for record in self.records()], ["machine", "result", "result", "section", "machine"]
        )

    def test_unknown_sections_and_budgets_are_usage(self):
        self.assertEqual(self.check("--only", "kernel")[0], 2)
        self.assertIn("expected sections of kernels,engine,check", self.said)
        self.assertEqual(self.check("--budget", "0")[0], 2)
        self.assertIn("expected a positive number of seconds, got 0", self.said)

    def test_ten_minutes_are_enough_for_the_first_three(self):
        self.assertLess(sum(section.seconds for section in sections.SECTIONS[:3]), 560)
        # With ten minutes a call, every section is reached.
        self.assertLess(max(section.seconds for section in sections.SECTIONS), 560)


class Running(Machine):
    def test_what_hangs_is_ended_with_what_it_started(self):
        slow_to_die = "import time; memory = b'1' * (1 << 29); time.sleep(60)"  # the kernel has half a GiB to take back
        self.script("programs/hangs", f'python3 -c "{slow_to_die}" & echo $! >{self.folder}/child; echo waiting; wait')
        section = sections.Section("hangs", "", 1, ("{programs}/hangs",))
        begun = time.monotonic()
        ended = running.run(
            section, self.folder / "programs", self.folder / "out", dict(os.environ), lambda result: None
        )
        self.assertEqual(ended, ("failed", "it did not end within 1 s"))
        self.assertLess(time.monotonic() - begun, 5)
        child = Path("/proc") / (self.folder / "child").read_text().strip() / "stat"
        self.assertTrue(not child.exists() or child.read_text().split()[2] == "Z")

    def test_what_cannot_be_started_has_failed(self):
        section = sections.Section("none", "", 1, ("{programs}/none",))
        self.assertEqual(
            running.run(section, self.folder, self.folder / "out", dict(os.environ), lambda result: None),
            ("failed", f"{self.folder}/none cannot be started: No such file or directory"),
        )


class Pack(Machine):
    def judge(self, folder):
        ended = self.start(SCRIPTS / "gpu/pack.py", folder)
        return ended.returncode, ended.stdout + ended.stderr

    def test_a_program_that_needs_what_is_not_beside_it_is_told(self):
        (self.folder / "pack/bin").mkdir(parents=True)
        shutil.copy(sys.executable, self.folder / "pack/bin/python")
        code, said = self.judge(self.folder / "pack")
        self.assertEqual(code, 1)
        self.assertRegex(said, r"bin/python: expected lib\S+ beside it, found /\S+")

    def test_an_empty_one_and_a_large_one_are_told(self):
        self.assertEqual(self.judge(self.folder / "none")[0], 1)
        (self.folder / "pack").mkdir()
        with open(self.folder / "pack/large", "wb") as file:
            file.truncate(61 << 20)
        code, said = self.judge(self.folder / "pack")
        self.assertEqual(code, 1)
        self.assertIn("expected programs in bin/, got none", said)
        self.assertIn("expected at most 60 MiB, got 61.0", said)

    def test_it_is_not_put_where_something_is_already(self):
        ended = self.start(SCRIPTS / "gpu_check", "--pack", self.folder)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("expected a folder that is empty, not there yet, or an earlier pack", ended.stderr)
        self.assertTrue((self.folder / "programs/bin/zerocts").exists())

    def test_one_command_makes_it_and_makes_it_anew(self):
        """With tools that only write down how they were called."""
        shutil.copytree(SCRIPTS, self.folder / "tree/scripts")
        calls = self.folder / "calls"
        for tool in ("cmake", "ninja"):
            self.script(
                f"path/{tool}",
                f"""echo "{tool} $*" >>{calls}
case "$*" in
  --preset*) touch build/gpu/build.ninja ;;
  --install*) folder=$(echo "$*" | sed 's/.*--prefix //; s/ .*//'); mkdir -p "$folder/bin"
    cp {shutil.which("true")} "$folder/bin/zerocts"; cp scripts/gpu/packed_gpu_check "$folder/gpu_check" ;;
esac""",
            )
        self.script("path/dpkg-query", "echo install ok installed")
        for tool, text in (("git", "echo a2094ca"), ("nvcc", "exit 1")):
            self.script(f"path/{tool}", text)
        os.environ["ZEROCTS_NCCL_HOME"] = str(self.folder)  # so that none is fetched
        self.addCleanup(os.environ.pop, "ZEROCTS_NCCL_HOME")
        folder = (self.folder / "tree/build/gpu_check").resolve()
        for configured in (1, 0):
            calls.write_text("")
            ended = self.start(self.folder / "tree/scripts/gpu_check", "--pack")
            self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
            self.assertRegex(
                ended.stdout, rf"^{folder}: 0\.\d MiB; on a machine with a GPU: gpu_check/gpu_check --budget 570\n$"
            )
            self.assertEqual(
                calls.read_text().splitlines(),
                ["cmake --preset gpu -DBUILD_TESTING=ON"] * configured
                + [
                    "ninja -C build/gpu zerocts subject_native gpu_tests",
                    f"cmake --install build/gpu --component gpu_check --prefix {folder} --strip",
                ],
            )
            self.assertEqual((folder / "COMMIT").read_text(), "a2094ca\n")
            self.assertFalse((folder / "of_the_first").exists())
            (folder / "of_the_first").touch()


if __name__ == "__main__":
    unittest.main()
