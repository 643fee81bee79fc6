#!/usr/bin/env python3
"""`zerocts watch` around train.py: silent where training is right, without a trace in it, and loud where it is wrong.

usage: watch_test.py ZEROCTS [unittest arguments]
"""

import os
import shutil
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import coverage  # noqa: E402
from available import python_or_skip  # noqa: E402
from free_port import free_port  # noqa: E402
from rows import DAY, FAULTS, RIGHT  # noqa: E402
from watched import ALARM, NOTHING_JUDGED, Watch  # noqa: E402


class Silent(Watch):
    def test_fsdp2(self):
        self.expect_silence(3, "--mode fsdp2")

    def test_memory(self):
        for mode in ("ddp", "fsdp2"):
            ended = self.watch(3, f"--mode {mode} --steps 300", "--every", "1")
            self.assertIn(": 0 alarms, 0 notices", ended.stderr)
            self.assertRegex(ended.stderr, "held: .*growth")

    def test_everything(self):
        for ranks, arguments in RIGHT:
            self.expect_silence(ranks, arguments)

    def test_models_in_turn(self):
        """Twice, as the second run begins where the first one did, and goes on as it went."""
        self.train = "models_in_turn.py"
        self.expect_silence(2, "")
        self.expect_silence(2, "")


class Loud(Watch):
    def test_some(self):
        for fault, arguments, words in FAULTS:
            if fault in DAY and arguments in ("", "--mode fsdp2"):
                self.expect_fault(fault, arguments, words)

    def test_all(self):
        for fault, arguments, words in FAULTS:
            self.expect_fault(fault, arguments, words)

    def test_a_rank_that_is_waited_for(self):
        """FSDP2 gathers the parts of the norm: the ranks that do not clip go on to another collective."""
        command = ["timeout", "75", *self.command(3, "--mode fsdp2 --fault clipped-on-one")]
        ended = self.run_it(self.zerocts, "watch", "--out", str(self.out), "--", *command)
        self.assertRegex(
            ended.stderr, r"notice: collective, step \d, rank \d, \w+ in the group of .* it has waited for 4"
        )

    def test_memory_that_grows(self):
        ended = self.watch(2, "--fault loss-kept --steps 300", "--every", "1")
        self.assertRegex(ended.stderr, r"notice: growth, step 299, rank \d, memory: it grows by 0.1\d* MiB in a step")


class Resumed(Watch):
    """A second run goes on in the folder of the first."""

    def go_on(self, fault, mode="ddp", before=""):
        path = self.out / "checkpoint"
        self.watch(2, f"--mode {mode} --steps 3 --save {path} --fault={before}")
        return self.watch(2, f"--mode {mode} --steps 3 --load {path} --fault={fault}", "--fail")

    def expect_alarm(self, fault, mode, words):
        with self.subTest(fault=fault, mode=mode):
            ended = self.go_on(fault, mode)
            self.assertRegex(ended.stderr, f"ALARM: resume, step 0, rank [01], {words}")
            self.assertEqual(ended.returncode, ALARM)

    def test_a_state_that_is_right(self):
        for mode, before in (("ddp", ""), ("fsdp2", ""), ("ddp", "rate-ends-at-zero")):
            ended = self.go_on("", mode, before)
            self.assertEqual(ended.returncode, 0, ended.stderr)
            self.assertIn(": 0 alarms, 0 notices", ended.stderr)
            self.assertRegex(ended.stderr, r"held: .*resume [\d,]{3}")

    def test_a_state_that_is_lost(self):
        self.expect_alarm("state-not-loaded", "fsdp2", "AdamW: its parameters are those that a step of an earlier run")

    def test_a_state_of_another_rank(self):
        self.expect_alarm("state-of-other-rank", "fsdp2", r"\S+: element \d+ of its first moment was")

    def test_steps_that_count_anew(self):
        self.expect_alarm("counts-anew", "ddp", r"\S+: its state counted 3 steps after the step before, and counts 0")

    def test_a_step_that_changed_nothing(self):
        """As the first one of a schedule that begins with a learning rate of 0: a second run is no resumed one."""
        for _ in range(2):
            ended = self.watch(2, "--steps 2 --lr 0", "--fail")
            self.assertEqual(ended.returncode, 0, ended.stderr)
            self.assertIn("not seen: resume", ended.stderr)


class Prepared(Watch):
    """With the library of `zerocts watch prepare`, built in a cache folder of its own."""

    def setUp(self):
        super().setUp()
        cache = self.enterContext(tempfile.TemporaryDirectory())
        self.enterContext(unittest.mock.patch.dict(os.environ, XDG_CACHE_HOME=cache))
        built = self.run_it(self.zerocts, "watch", "prepare", "--python", self.python)
        self.assertEqual(built.returncode, 0, built.stderr)
        self.assertTrue(built.stdout.startswith(cache), built.stdout)

    def test_the_operation_of_a_reduction(self):
        ended = self.watch(3, "--mode fsdp2 --fault added-not-averaged")
        self.assertIn("parameters, with the library of zerocts watch prepare", ended.stderr)
        self.assertRegex(
            ended.stderr, "ALARM: collective, step 3, rank 0, _reduce_scatter_base_ .*: got .* for the avg of"
        )

    def test_it_sees_the_same(self):
        for mode in ("ddp", "fsdp2-bf16"):
            with self.subTest(mode=mode):
                prepared = self.watch(3, f"--mode {mode}", "--every", "1")
                with unittest.mock.patch.dict(os.environ, XDG_CACHE_HOME=str(self.out)):
                    plain = self.watch(3, f"--mode {mode}", "--every", "1")
                held = [[line for line in ended.stderr.splitlines() if "held: " in line] for ended in (prepared, plain)]
                self.assertTrue(held[0])
                self.assertEqual(held[0], held[1])


class InPython(Watch):
    """`zerocts.watch`, with the package of the wheel around the program that is tested."""

    train = "calls_watch.py"

    def setUp(self):
        super().setUp()
        packages = Path(self.enterContext(tempfile.TemporaryDirectory()))
        shutil.copytree(HERE.parents[2] / "scripts/wheel/zerocts", packages / "zerocts")
        (packages / "zerocts/installed").symlink_to(Path(self.zerocts).resolve().parents[1])
        self.enterContext(unittest.mock.patch.dict(os.environ, PYTHONPATH=str(packages)))

    def summary(self, ranks, *words):
        ended = self.run_it(*self.command(ranks, " ".join([str(self.out), *words])))
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return self.run_it(self.zerocts, "watch", "judge", str(self.out)).stdout

    def test_a_run_that_is_right(self):
        """With the gradients of the first step, as it is asked for before it."""
        self.assertRegex(self.summary(3), r"3 ranks, 6 steps, .*: 0 alarms, 0 notices(.|\n)*gradient-flow 270,")

    def test_one_process(self):
        self.assertIn("1 rank, 6 steps, ", self.summary(1))

    def test_a_sum(self):
        self.assertIn("gradient-flow, step 0, all gradients", self.summary(3, "sum"))

    def test_a_folder_that_cannot_be_written(self):
        ended = self.run_it(*self.command(2, "/proc/nowhere"))
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("--out: expected a folder that can be written, got /proc/nowhere", ended.stderr)
        self.assertIn("RuntimeError: zerocts.watch: rank 0 has started no judge", ended.stderr)


class Coverage(Watch):
    def test_the_table_of_the_guide(self):
        guide = (HERE.parents[1] / "guide/watch.md").read_text(encoding="utf-8")
        self.assertIn(coverage.table(self.zerocts, self.python, python_or_skip("deepspeed")), guide)


class Budget(Watch):
    def test_ranks_look_less_often(self):
        ended = self.watch(2, "--steps 40")
        self.assertRegex(ended.stderr, r"looks at one step in \d+ from step \d+ on, for 4 % of the CPU time")


class Unseen(Watch):
    """It changes nothing."""

    def test_bits_of_ddp(self):
        self.expect_the_same("--mode ddp")

    def test_bits_of_all(self):
        for mode in ("zero1", "fsdp1", "fsdp1-original", "fsdp2", "fsdp2-bf16"):
            self.expect_the_same(f"--mode {mode}")

    def test_exit_code(self):
        self.assertEqual(self.watch(2, "--steps 1 --exit-code 9", "--fail").returncode, 9)

    def test_judge_that_dies(self):
        """Training goes on to the same bits, and the run says that it was not watched to its end."""
        plain = self.sorted_lines(self.run_it(*self.command(2, "--steps 6")))
        ended = self.watch(2, "--steps 6 --fault judge-killed")
        self.assertEqual(self.sorted_lines(ended), plain)
        self.assertIn("is not watched any more: the judge does not answer", ended.stderr)
        self.assertIn("the judge did not come to its end", ended.stderr)

    def test_full_disk(self):
        """Training goes on to the same bits; the run is judged, and cannot be judged again."""
        arguments = "--steps 6 --fault sum"
        plain = self.sorted_lines(self.run_it(*self.command(2, arguments)))
        bound = "import os, resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)"
        bound += "; resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16)); os.execv(sys.argv[1], sys.argv[1:])"
        watched = [self.zerocts, "watch", "--fail", "--out", str(self.out), "--", *self.command(2, arguments)]
        ended = self.run_it(sys.executable, "-c", bound, *watched)
        self.assertEqual(ended.returncode, ALARM, ended.stderr)
        self.assertEqual(sorted(ended.stdout.splitlines()), plain)
        self.assertIn("records cannot be written: File too large", ended.stderr)
        self.assertNotIn("--keep", ended.stderr)
        again = self.run_it(self.zerocts, "watch", "judge", str(self.out))
        self.assertIn("cut off", again.stderr)

    def test_hook_that_raises(self):
        plain = self.sorted_lines(self.run_it(*self.command(2, "--steps 6")))
        ended = self.watch(2, "--steps 6 --fault broken-witness", "--fail")
        self.assertIn("an error of the witness, ZeroDivisionError", ended.stderr)
        self.assertEqual(sorted(ended.stdout.splitlines()), plain)

    def test_nothing_judged(self):
        ended = self.run_it(
            self.zerocts, "watch", "--fail", "--out", str(self.out), "--", self.python, "-c", "import torch"
        )
        self.assertEqual(ended.returncode, NOTHING_JUDGED, ended.stderr)
        self.assertIn("nothing was judged: no process", ended.stderr)

    def test_saved_run_is_judged_again(self):
        first = self.watch(3, "--fault sum")
        again = self.run_it(self.zerocts, "watch", "judge", str(self.out))
        self.assertEqual(again.returncode, ALARM)
        summary = [line.removeprefix("zerocts: ") for line in first.stderr.splitlines() if "comparisons" in line]
        self.assertIn(summary[0], again.stdout)
        report = self.run_it(self.zerocts, "report", str(self.out))
        self.assertEqual(report.returncode, ALARM)
        self.assertIn("not conformant: 1 of", report.stdout)

    def test_records_of_some_steps_are_judged_again(self):
        for mode in ("ddp", "zero1", "fsdp2"):
            with self.subTest(mode=mode):
                self.watch(3, f"--mode {mode} --steps 40", "--every", "1", "--keep", "1")
                again = self.run_it(self.zerocts, "watch", "judge", str(self.out))
                self.assertEqual(again.returncode, 0, again.stdout)
                self.assertIn(": 0 alarms, 0 notices", again.stdout)
                self.assertRegex(again.stdout, "held: .*changed-weights")
                self.assertRegex(again.stdout, "beyond --keep are not in the file: it has one in (4|8|16) of the steps")
                self.assertLess((self.out / "records").stat().st_size, 1.01 * 2**20)

    def expect_two_ranks(self, *launcher):
        ended = self.run_it(self.zerocts, "watch", "--fail", "--out", str(self.out), "--", *launcher, "--steps", "3")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("2 ranks, 3 steps", ended.stderr)

    def test_under_torchrun(self):
        self.expect_two_ranks(
            self.python, "-m", "torch.distributed.run", "--nproc-per-node", "2", str(HERE / "train.py")
        )

    def test_under_spawn(self):
        self.expect_two_ranks(self.python, str(HERE / "spawn_ranks.py"), "2", str(HERE / "train.py"))

    def test_under_mpirun(self):
        if not shutil.which("mpirun"):
            self.skipTest("no mpirun")
        names = "RANK=$OMPI_COMM_WORLD_RANK WORLD_SIZE=$OMPI_COMM_WORLD_SIZE MASTER_ADDR=127.0.0.1"
        script = f'{names} MASTER_PORT={free_port()} exec "$@"'
        launcher = ["mpirun", "--oversubscribe", "--bind-to", "none", "--allow-run-as-root", "-n", "2", "sh", "-c"]
        self.expect_two_ranks(*launcher, script, "sh", self.python, str(HERE / "train.py"))


if __name__ == "__main__":
    Watch.zerocts, Watch.python = sys.argv.pop(1), python_or_skip("torch")
    unittest.main()
