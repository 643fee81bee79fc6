#!/usr/bin/env python3
"""`zerocts watch` around train.py: silent where training is right, without a trace in it, and loud where it is wrong.

usage: watch_test.py ZEROCTS [unittest arguments]
"""

import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from available import python_or_skip  # noqa: E402

ZEROCTS, PYTHON = None, None
SECONDS = 300  # on a machine with other work
ALARM, NOTHING_JUDGED = 1, 6

# Fault, arguments of train.py, and what an alarm must say. "notice" in front: it is often meant.
FAULTS = [
    ("sum", "", "gradient-flow, step 0, all gradients: a sum in place of a mean"),
    ("reduced-twice", "", "gradient-flow, step 0, all gradients: a sum in place of a mean"),
    ("never-synchronised", "", "replicas, step 0, blocks.0.down.bias: the copies differ after the step"),
    ("never-synchronised", "--mode fsdp2", "gradient-flow, step 1, all gradients: backward produced them"),
    ("last-micro-batch", "", "notice: gradient-flow, step 0, rank"),
    (
        "last-micro-batch",
        "--mode fsdp1",
        "notice: gradient-flow, step 0, all gradients: micro-batch 2 alone: zero_grad",
    ),
    ("clipped-by-value", "", "notice: gradient-flow, step 0, rank"),
    ("one-gradient", "", "gradient-flow, step 0, rank 0, norm.bias: its gradient is not the mean"),
    ("tied-gradient", "", "gradient-flow, step 0, rank 1, tokens.weight: its gradient is not the mean"),
    ("divided", "", "gradient-flow, step 0, all gradients: 0.25 times what they should be"),
    ("one-gradient", "--mode fsdp2", "gradient-flow, step 1, all gradients: 1.001 times what they should be"),
    ("clipped-on-one", "", "clip, step 0, rank 1, clip_grad_norm_: called 0 times before the step, 1 times on rank 0"),
    ("other-max-norm", "--mode fsdp2", "clip, step 0, rank 1, clip_grad_norm_: max_norm 1.1, 1 on rank 0"),
    ("lr-on-one", "--mode fsdp2", "settings, step 0, rank 1, optimizer 0: the settings of group 0: lr 0.00101"),
    (
        "eps-on-one",
        "",
        "settings, step 0, rank 1, optimizer 0: the settings of group 0: eps 2e-08, rank 0 has eps 1e-08",
    ),
    (
        "skipped-on-one",
        "",
        "gradient-flow, step 3, all gradients: rank 1 makes this step after 10 batches, rank 0 after 8",
    ),
    (
        "element-changed",
        "",
        "replicas, step 4, tokens.weight: on rank 1 it differs before the next forward from ranks 0 and 2",
    ),
    (
        "element-changed",
        "--mode zero1",
        "replicas, step 4, tokens.weight: on rank 1 it differs before the next forward",
    ),
    ("wrong-moment", "", "replicas, step 3, blocks.0.down.bias: on rank 1 it differs after the step"),
    ("damaged-gather", "--mode fsdp2", "collective, step 3, rank 1, _allgather_base_ in the group of ranks 0, 1 and 2"),
    ("damaged-broadcast", "", "collective, step 0, rank 1, broadcast_ in the group of ranks 0, 1 and 2"),
    ("contribution-left-out", "", "collective, step 3, rank 0, allreduce_ in the group of ranks 0, 1 and 2"),
    ("added-not-averaged", "--mode fsdp2", "gradient-flow, step 3, all gradients: a sum in place of a mean"),
    ("cut-too-short", "--mode fsdp2", "tiling, tokens.weight: ranks hold 3456 of its 3492 elements"),
    ("half-a-step", "", "update, step 0, rank"),
    ("half-a-step", "--mode fsdp2 --optimizer adam", "update, step 0, rank"),
    ("stale-gather", "--mode fsdp2", "read, step 2, rank"),
    ("divided", "--mode fsdp2", "gradient-flow, step 1, all gradients: 0.25 times what they should be"),
    ("optimizer-before-sharding", "--mode fsdp2", "optimizer, step 0, rank"),
    ("same-data", "", "notice: data, ranks 0, 1 and 2: they were fed equal batches 3 times running"),
    ("left-out", "", "notice: optimizer, step 2, rank"),
    ("scaled-outside", "", "notice: changed-weights, step 1, rank"),
    ("zero", "", "notice: dead-model, step 2, rank"),
    ("same-order", "", "notice: epochs, rank"),
]
DAY = ("sum", "half-a-step", "stale-gather")
RIGHT = [
    (3, "--mode ddp"),
    (3, "--mode zero1 --optimizer sgd"),
    (3, "--mode fsdp1"),
    (3, "--mode fsdp1-original"),
    (3, "--mode fsdp2 --micro-batches 3"),
    (3, "--mode fsdp2-bf16 --optimizer adam"),
    (4, "--mode hsdp"),
    (1, ""),
    (2, "--optimizer adamw-fused"),
    (2, "--mode fsdp2 --optimizer adamw-foreach --clip 0"),
    (2, "--optimizer adagrad"),
    (2, "--mode zero1 --optimizer radam"),
]


class Watch(unittest.TestCase):
    train = "train.py"

    def setUp(self):
        self.out = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def command(self, ranks, arguments):
        return [PYTHON, str(HERE / "fork_ranks.py"), str(ranks), str(HERE / self.train), *arguments.split()]

    def run_it(self, *command):
        return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)

    def watch(self, ranks, arguments, *options):
        return self.run_it(ZEROCTS, "watch", "--out", str(self.out), *options, "--", *self.command(ranks, arguments))

    def expect_silence(self, ranks, arguments):
        with self.subTest(ranks=ranks, arguments=arguments):
            ended = self.watch(ranks, arguments, "--fail")
            self.assertEqual(ended.returncode, 0, ended.stderr)
            self.assertIn(": 0 alarms, 0 notices", ended.stderr)
            self.assertNotIn("not watched", ended.stderr)

    def expect_fault(self, fault, arguments, words):
        with self.subTest(fault=fault, arguments=arguments):
            ended = self.watch(3, f"--fault {fault} {arguments}", "--fail")
            self.assertIn(words if words.startswith("notice") else f"ALARM: {words}", ended.stderr)
            self.assertEqual(ended.returncode, 0 if words.startswith("notice") else ALARM, ended.stderr)


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
        ended = self.run_it(ZEROCTS, "watch", "--out", str(self.out), "--", *command)
        self.assertRegex(
            ended.stderr, r"notice: collective, step \d, rank \d, \w+ in the group of .* it has waited for 4"
        )

    def test_memory_that_grows(self):
        ended = self.watch(2, "--fault loss-kept --steps 300", "--every", "1")
        self.assertRegex(ended.stderr, r"notice: growth, step 299, rank \d, memory: it grows by 0.1\d* MiB in a step")

    def test_lost_state(self):
        """Each run of train.py begins anew; one with a learning rate of 0 begins where the other did."""
        self.watch(2, "--optimizer sgd --steps 2 --lr 0")
        ended = self.watch(2, "--optimizer sgd --steps 2 --lr 0", "--fail")
        self.assertIn("ALARM: resume, step 0, rank", ended.stderr)
        self.assertEqual(ended.returncode, ALARM)


class Prepared(Watch):
    """With the library of `zerocts watch prepare`, built in a cache folder of its own."""

    def setUp(self):
        super().setUp()
        cache = self.enterContext(tempfile.TemporaryDirectory())
        self.enterContext(unittest.mock.patch.dict(os.environ, XDG_CACHE_HOME=cache))
        built = self.run_it(ZEROCTS, "watch", "prepare", "--python", PYTHON)
        self.assertEqual(built.returncode, 0, built.stderr)
        self.assertTrue(built.stdout.startswith(cache), built.stdout)

    def test_the_operation_of_a_reduction(self):
        ended = self.watch(3, "--mode fsdp2 --fault added-not-averaged")
        self.assertIn("parameters, with the library of zerocts watch prepare", ended.stderr)
        self.assertRegex(ended.stderr, "ALARM: collective, step 3, rank 0, _reduce_scatter_base_ .*: got .* for the avg of")

    def test_it_sees_the_same(self):
        for mode in ("ddp", "fsdp2-bf16"):
            with self.subTest(mode=mode):
                prepared = self.watch(3, f"--mode {mode}", "--every", "1")
                with unittest.mock.patch.dict(os.environ, XDG_CACHE_HOME=str(self.out)):
                    plain = self.watch(3, f"--mode {mode}", "--every", "1")
                held = [[line for line in ended.stderr.splitlines() if "held: " in line] for ended in (prepared, plain)]
                self.assertTrue(held[0])
                self.assertEqual(held[0], held[1])


class Budget(Watch):
    def test_ranks_look_less_often(self):
        ended = self.watch(2, "--steps 40")
        self.assertRegex(ended.stderr, r"looks at one step in \d+ from step \d+ on, for 4 % of the CPU time")


class Unseen(Watch):
    """It changes nothing."""

    def sorted_lines(self, ended):
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return sorted(ended.stdout.splitlines())

    def expect_the_same(self, arguments):
        with self.subTest(arguments=arguments):
            plain = self.sorted_lines(self.run_it(*self.command(3, arguments)))
            self.assertEqual(len(plain), 8 + 3)
            self.assertEqual(self.sorted_lines(self.watch(3, arguments)), plain)

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

    def test_hook_that_raises(self):
        plain = self.sorted_lines(self.run_it(*self.command(2, "--steps 6")))
        ended = self.watch(2, "--steps 6 --fault broken-witness", "--fail")
        self.assertIn("an error of the witness, ZeroDivisionError", ended.stderr)
        self.assertEqual(sorted(ended.stdout.splitlines()), plain)

    def test_nothing_judged(self):
        ended = self.run_it(ZEROCTS, "watch", "--fail", "--out", str(self.out), "--", PYTHON, "-c", "import torch")
        self.assertEqual(ended.returncode, NOTHING_JUDGED, ended.stderr)
        self.assertIn("nothing was judged: no process", ended.stderr)

    def test_saved_run_is_judged_again(self):
        first = self.watch(3, "--fault sum")
        again = self.run_it(ZEROCTS, "watch", "judge", str(self.out))
        self.assertEqual(again.returncode, ALARM)
        summary = [line.removeprefix("zerocts: ") for line in first.stderr.splitlines() if "comparisons" in line]
        self.assertIn(summary[0], again.stdout)
        report = self.run_it(ZEROCTS, "report", str(self.out))
        self.assertEqual(report.returncode, ALARM)
        self.assertIn("not conformant: 1 of", report.stdout)

    def test_records_of_some_steps_are_judged_again(self):
        for mode in ("ddp", "zero1", "fsdp2"):
            with self.subTest(mode=mode):
                self.watch(3, f"--mode {mode} --steps 40", "--every", "1", "--keep", "1")
                again = self.run_it(ZEROCTS, "watch", "judge", str(self.out))
                self.assertEqual(again.returncode, 0, again.stdout)
                self.assertIn(": 0 alarms, 0 notices", again.stdout)
                self.assertRegex(again.stdout, "held: .*changed-weights")
                self.assertRegex(again.stdout, "beyond --keep are not in the file: it has one in (4|8|16) of the steps")
                self.assertLess((self.out / "records").stat().st_size, 1.01 * 2**20)

    def test_under_torchrun(self):
        launcher = [PYTHON, "-m", "torch.distributed.run", "--nproc-per-node", "2", str(HERE / "train.py")]
        ended = self.run_it(ZEROCTS, "watch", "--fail", "--out", str(self.out), "--", *launcher, "--steps", "3")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("2 ranks, 3 steps", ended.stderr)


if __name__ == "__main__":
    ZEROCTS = sys.argv.pop(1)
    PYTHON = python_or_skip("torch")
    unittest.main()
