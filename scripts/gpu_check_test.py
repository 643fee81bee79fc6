#!/usr/bin/env python3
"""Tests of scripts/gpu_check as far as they need no GPU.

usage: gpu_check_test.py FOLDER     FOLDER holds gpu_check and gpu_record.py
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(sys.argv.pop()).resolve()

JUNIT = """<?xml version="1.0"?><testsuite>
<testcase name="gpu.device" time="2.04" status="run"><system-out>fine</system-out></testcase>
<testcase name="gpu.nccl" time="1" status="fail"><failure message=""/><system-out>NCCL 2.28.9 (/x/libnccl.so.2)</system-out></testcase>
<testcase name="gpu.more" time="0" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase>
</testsuite>"""


class GpuCheck(unittest.TestCase):
    def test_a_machine_without_gpu_has_an_exit_code_of_its_own(self):
        with tempfile.TemporaryDirectory() as folder:
            fake = Path(folder) / "nvidia-smi"
            fake.write_text("#!/bin/sh\necho 'No devices were found'\nexit 6\n")
            fake.chmod(0o755)
            ended = subprocess.run([SCRIPTS / "gpu_check"], env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
                                   capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, 77)
        self.assertEqual(ended.stderr,
                         "no GPU on this machine (nvidia-smi: No devices were found): nothing was built or run\n")

    def test_a_run_becomes_a_line(self):
        with tempfile.TemporaryDirectory() as folder:
            junit, into = Path(folder) / "gpu.xml", Path(folder) / "results/gpu.ndjson"
            junit.write_text(JUNIT)
            for _ in range(2):
                printed = subprocess.run([SCRIPTS / "gpu_record.py", "--junit", junit, "--command", "scripts/gpu_check", "--into", into],
                                         capture_output=True, text=True, check=True).stdout
            records = [json.loads(line) for line in into.read_text().splitlines()]
        self.assertEqual(len(records), 2)
        self.assertEqual(records[0]["nccl"], "2.28.9")
        self.assertEqual([(t["name"], t["result"]) for t in records[1]["tests"]],
                         [("gpu.device", "passed"), ("gpu.nccl", "failed"), ("gpu.more", "not run")])
        self.assertIn("  failed        1.0 s  gpu.nccl", printed)

    def test_what_is_no_junit_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            ended = subprocess.run([SCRIPTS / "gpu_record.py", "--junit", f"{folder}/none.xml", "--command", "x", "--into", f"{folder}/r"],
                                   capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("expected a JUnit file of ctest", ended.stderr)


if __name__ == "__main__":
    unittest.main()
