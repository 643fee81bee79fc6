#!/usr/bin/env python3
"""`zerocts check --subject torch:FILE:CLASS`: right optimizers, faults that must be found, mistakes that must be said
before ranks start.

usage: own_optimizer_test.py ZEROCTS [unittest arguments]; exit 77: skipped, with the reason
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
from available import python_or_skip  # noqa: E402

PATIENCE_S = 600
OWN_DDP = "ddp=right.py:BucketedDDP"
FAULTS = {  # the clause that names it, and in which words
    "GroupsLost": ("C-ZERO-052", "all groups used the hyper-parameters of group 0"),
    "BroadcastFromWrongOwner": ("C-ZERO-001", "nobody updates it, or its update was not published"),
    "AddParamGroupForgotten": (
        "C-ZERO-053",
        "add_param_group: no rank updates the parameters of the group that it was given",
    ),
    "ZeroGradOfOwnOnly": ("C-ZERO-014", "zero_grad(set_to_none=True): expected p.grad to become None, parameter"),
    "ZeroGradToZero": ("C-ZERO-014", "keeps zeros"),
    "ClosureIgnored": ("C-ZERO-058", "step(closure) did not call the closure"),
    "DecayForgotten": ("C-ZERO-050", "differs from the reference in step"),
    "SavedByOneRank": ("C-ZERO-080", "(after resume) on rank 1 differs from the reference"),
}
MISTAKES = [  # class, options, the sentence that begins so
    ("absent.py:Any", (), "absent.py: expected a file, got none of this name"),
    ("raises_on_import.py:Any", (), "raised RuntimeError: no GPU here (raises_on_import.py:1, in"),
    ("right.py:Optimizer", (), "right.py: expected Optimizer in it, got ShardedOptimizer, OfTensorsAlone, BucketedDDP"),
    ("mistakes.py:NoOptimizer", (), "mistakes.py:7: expected an optimizer, with step and param_groups"),
    ("mistakes.py:WantsMore", (), "mistakes.py:12: WantsMore wants owner_table, which it does not get"),
    ("mistakes.py:RaisesWhenMade", (), "RaisesWhenMade raised KeyError: 0 (mistakes.py:18, in __init__)"),
    ("mistakes.py:ShardsNothing", (), "mistakes.py:ShardsNothing: expected to see which whole parameters"),
    ("right.py:ShardedOptimizer", ("colour=red",), "--option colour: expected ddp=torch, "),
    ("right.py:ShardedOptimizer", ("inner=torch.optim.Lion",), "--option inner: expected torch.optim.SGD"),
    ("right.py:ShardedOptimizer", ("ddp=right.py:ShardedOptimizer",), "right.py:10: right.py:ShardedOptimizer wants"),
]


def check(target, options, *arguments, shrink=False):
    """The ended command, and the records of its log."""
    with tempfile.TemporaryDirectory() as out:
        words = [zerocts, "check", "--subject", f"torch:{target}", "--tier", "smoke", "--out", out]
        words += [] if shrink else ["--no-shrink"]
        words += [word for option in options for word in ("--option", option)]
        ended = subprocess.run(
            [*words, *arguments], cwd=HERE, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
        log = Path(out) / "results.ndjson"
        return ended, [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


class OwnOptimizers(unittest.TestCase):
    def require_failure(self, clause, words, target, *options):
        ended, records = check(target, options, clause, "--ranks", "2,3")
        sentences = [record["sentence"] for record in records if record["record"] == "failure"]
        self.assertEqual(ended.returncode, 1, ended.stdout + ended.stderr)
        self.assertTrue(any(words in sentence for sentence in sentences), sentences)

    def require_mistake(self, target, options, words):
        ended, records = check(target, options)
        said = ended.stderr.strip()
        self.assertEqual((ended.returncode, records), (2, []), said)
        self.assertIn(words, said.splitlines()[-1])

    def test_a_right_one_conforms(self):
        ended, _ = check("right.py:ShardedOptimizer", (OWN_DDP,), "--ranks", "3", "--cases", "5")
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    def test_a_right_one_conforms_on_1_to_3_ranks_with_torchs_ddp(self):
        ended, _ = check("right.py:ShardedOptimizer", (), "--ranks", "1,2,3")
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    def test_one_that_averages_inside_and_updates_by_itself_conforms(self):
        ended, _ = check("averages_inside.py:ShardedAdamW", ("ddp=none",), "--ranks", "2,3")
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    def test_one_that_takes_no_groups_gets_none(self):
        ended, _ = check("right.py:OfTensorsAlone", (), "--ranks", "2", "C-ZERO-001", "C-ZERO-050")
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertIn("it takes no list of groups", ended.stderr)

    def test_a_sharded_muon(self):
        ended, _ = check("muon.py:ShardedMuon", (), "--ranks", "1,2,3")
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertIn("one rank alone is near torch.optim.Muon", ended.stderr)

    def test_torchs_muon_within_a_sharded_optimizer(self):
        ended, _ = check("right.py:ShardedOptimizer", ("inner=torch.optim.Muon",), "--ranks", "1,2,3")
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertIn("updates of torch.optim.Muon are judged by self parity alone", ended.stderr)

    def test_a_muon_that_only_divides_by_the_norm_is_not_near(self):
        ended, _ = check("muon.py:NormalisedSgd", (), "--ranks", "2", "C-ZERO-059")
        self.assertIn("one rank alone does not update as torch.optim.Muon, so self parity alone", ended.stderr)

    def test_a_muon_that_takes_rows_for_matrices(self):
        self.require_failure("C-ZERO-059", "differs in step", "muon.py:MuonOfRows")

    def test_a_muon_whose_gradients_nobody_averages(self):
        self.require_failure("C-ZERO-059", "differs in step", "muon.py:ShardedMuon", "ddp=none")

    def test_a_bucket_that_is_not_waited_for(self):
        self.require_failure(
            "C-ZERO-001",
            "moved by the gradients of rank 0 alone",
            "right.py:ShardedOptimizer",
            "ddp=faults.py:LastBucketNotWaitedFor",
        )

    def test_lost_groups(self):
        self.require_fault("GroupsLost")

    def test_one_that_takes_no_empty_list_is_named_by_its_other_fault(self):
        ended, records = check("faults.py:GroupsLostAndNoEmptyRanks", (), "C-ZERO-004", "C-ZERO-052", "--ranks", "2,4")
        sentences = [record["sentence"] for record in records if record["record"] == "failure"]
        self.assertEqual(ended.returncode, 1, ended.stdout + ended.stderr)
        self.assertNotIn("empty parameter list", " ".join(sentences))
        self.assertTrue(any(FAULTS["GroupsLost"][1] in sentence for sentence in sentences), sentences)
        self.assertIn("no case leaves a rank without a parameter: ", ended.stderr)
        self.assertIn("a rank without elements (the subject declares no_empty_ranks)", " ".join(ended.stdout.split()))

    def test_ranks_meet_again_after_a_call_failed_on_some(self):
        """They once waited for each other in init_process_group, in groups of other numbers."""
        ended, records = check("faults.py:ZeroGradOfOwnOnly", (), "checkpoint", "--ranks", "2,3", shrink=True)
        sentences = [record["sentence"] for record in records if record["record"] == "failure"]
        self.assertEqual(ended.returncode, 1, ended.stdout + ended.stderr)
        for sentence in sentences:
            self.assertIn(FAULTS["ZeroGradOfOwnOnly"][1], sentence)

    def test_each_other_fault(self):
        for name in FAULTS:
            with self.subTest(name):
                self.require_fault(name)

    def require_fault(self, name):
        self.require_failure(*FAULTS[name], f"faults.py:{name}")

    def test_an_exception_in_a_case_is_the_subjects_and_has_its_line(self):
        words = "IndexError: no bucket 3 (mistakes.py:32, in step)"
        self.require_failure("C-ZERO-001", words, "mistakes.py:RaisesInStep")

    def test_a_mistake_is_one_sentence_before_ranks_start(self):
        self.require_mistake(*MISTAKES[4])

    def test_each_other_mistake(self):
        for mistake in MISTAKES:
            with self.subTest(mistake[0]):
                self.require_mistake(*mistake)


if __name__ == "__main__":
    zerocts = Path(sys.argv.pop(1)).resolve()
    python_or_skip("torch")
    unittest.main()
