"""What a case asks for beyond a subject's capabilities."""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from tests.conductor import case_json  # noqa: E402

from zerocts_rank.calls import Calls  # noqa: E402
from zerocts_rank.case import Case  # noqa: E402
from zerocts_rank.declared import FLAGS, LISTED, refuse_undeclared, undeclared  # noqa: E402
from zerocts_rank.invalid_request import invalid_gradients, invalid_micro_batches, invalid_options  # noqa: E402
from zerocts_rank.subject import INVALID_ARGUMENT, UNIMPLEMENTED, Refused  # noqa: E402

LEAST = {"stages": [1], "param_dtypes": ["fp32"], "optimizers": ["adamw"], "world_sizes": [1, 4]}
GROUP = json.loads(case_json())["experiment"]["groups"][0]
ROLES = json.loads(case_json())["experiment"]["roles"]

# What a case asks for, and what is said of it. One per entry of the tables.
ASKED = [
    ({"stage": 2}, "stage 2 (declared: 1)"),
    ({"precision": "bf16"}, "parameters of bf16 (declared: fp32)"),
    ({"optimizer": "adam"}, "the optimizer adam (declared: adamw)"),
    ({"plan": "rows"}, "the plan rows (declared: none)"),
    ({"reduction_order": "rank"}, "the reduction order rank (declared: none)"),
    (
        {"gradient_sync": "every_micro_batch", "micro_batches": 2},
        "gradient_sync every_micro_batch (declared: last_micro_batch)",
    ),
    ({"accumulation": "bf16"}, "accumulation in bf16 (declared: fp32)"),
    ({"reduction": "bf16"}, "reduction in bf16 (declared: fp32)"),
    ({"max_norm": 1, "clip_norm": "1"}, "the clip norm 1 (declared: 2)"),
    ({"max_norm": 1, "clip_formula": "torch"}, "the clip formula torch (declared: min)"),
    ({"loss_scaling": {"kind": "static"}}, "loss scaling static (declared: none)"),
    ({"curvature": 1}, "the loss quadratic (declared: linear)"),
    ({"tensor": 2}, "tensor ranks: 2 (declared: 1)"),
    ({"tensor_parts": "ceil"}, "tensor_parts ceil (declared: even)"),
    ({"offload": "full"}, "offload full (declared: none)"),
    ({"parameters": [{"name": "s", "shape": [], "group": 0}]}, "a parameter that is scalar (declared: empty)"),
    ({"bucket_cap_bytes": 64}, "bucket_cap_bytes (not declared)"),
    ({"max_norm": 1}, "clip (not declared)"),
    ({"micro_batches": 2}, "accumulation (not declared)"),
    ({"groups": [GROUP, GROUP]}, "groups (not declared)"),
    ({"changes": [{"step": 1, "group": 0, "values": GROUP}]}, "set_group (not declared)"),
    ({"replicas": 2}, "replicas (not declared)"),
    ({"roles": ROLES | {"frozen": [{"parameter": 0, "begin": 0, "end": 1}]}}, "frozen (not declared)"),
    (
        {"roles": ROLES | {"without_gradient": [{"parameter": 0, "begin": 0, "end": 1}]}},
        "missing_gradients (not declared)",
    ),
    ({"roles": ROLES | {"tied": [{"parameter": 1, "owner": 0}]}}, "tied (not declared)"),
    ({"roles": ROLES | {"buffers": [1]}}, "buffers (not declared)"),
    ({"roles": ROLES | {"precisions": [{"parameter": 1, "precision": "bf16"}]}}, "mixed_dtypes (not declared)"),
    ({"groups": [GROUP | {"nesterov": True}]}, "sgd_variants (not declared)"),
    (
        {"checkpoint": {"after_step": 0, "how": "load", "other_world_size": 2, "other_tensor": 2}},
        "checkpoint_tensor (not declared)",
    ),
    ({"model": {"mlp": {"vocab_parallel": True}}}, "vocab_parallel (not declared)"),
    ({"model": {"gpt": {"sequence_parallel": True}}}, "sequence_parallel (not declared)"),
    ({"model": {"gpt": {"kv_heads": 1}}}, "kv_heads (not declared)"),
    ({"experts": {"count": 2, "parameters": [{"parameter": 0, "expert": 1}]}}, "experts (not declared)"),
    (
        {"replicas": 2, "experts": {"count": 2, "parameters": [{"parameter": 0, "expert": 1}]}},
        "expert_replicas (not declared)",
    ),
    (
        {"experts": {"count": 2, "divisor": "group", "parameters": [{"parameter": 0, "expert": 1}]}},
        "expert_divisors group (declared: world)",
    ),
    ({"overlap": "off"}, "overlap (not declared)"),
    ({"checkpoint": {"after_step": 0, "how": "resume"}}, "checkpoint (not declared)"),
    ({"checkpoint": {"after_step": 0, "how": "load", "other_world_size": 2}}, "checkpoint_reshard (not declared)"),
    ({"extra_calls": [{"step": 1, "micro_batches": 1, "kind": "save"}]}, "checkpoint_in_window (not declared)"),
    ({"extra_calls": [{"step": 0, "micro_batches": 0, "kind": "early step"}]}, "goes_on_after_refusal (not declared)"),
    ({"world_size": 5}, "5 ranks (declared: 1 to 4)"),
]


def case_of(changes):
    case = json.loads(case_json())
    case["experiment"] |= {"loss_scaling": {"kind": "none"}, "curvature": 0, "experts": {"count": 1, "parameters": []}}
    for name, value in changes.items():
        (case["experiment"] if name in case["experiment"] else case)[name] = value
    return Case(json.dumps(case))


class DeclaredTest(unittest.TestCase):
    def test_names_what_is_not_declared(self):
        for changes, sentence in ASKED:
            self.assertIn(sentence, list(undeclared(case_of(changes), LEAST | {"shapes": ["empty"]})))
        self.assertEqual(len(ASKED), len(LISTED) + len(FLAGS) + 1)

    def test_says_nothing_of_what_is(self):
        self.assertEqual(list(undeclared(case_of({}), LEAST)), [])
        can = LEAST | {"stages": [1, 2], "clip": True, "accumulation": True, "gradient_sync": ["every_micro_batch"]}
        asked = {"stage": 2, "max_norm": 1, "micro_batches": 2, "gradient_sync": "every_micro_batch"}
        self.assertEqual(list(undeclared(case_of(asked), can)), [])

    def test_knows_subjects_that_need_a_mesh(self):
        self.assertEqual(
            list(undeclared(case_of({}), LEAST | {"min_replicas": 2})), ["replicas 1 (declared: at least 2)"]
        )

    def test_knows_subjects_that_have_something_on_every_rank(self):
        def said(sizes, **more):
            shapes = [{"name": f"p{p}", "shape": [size], "group": 0} for p, size in enumerate(sizes)]
            case = case_of({"parameters": shapes, "world_size": 2})
            return list(undeclared(case, LEAST | {"no_empty_ranks": True} | more))

        self.assertEqual(said([3]), [])
        self.assertEqual(said([1, 0]), ["a rank without elements (not declared)"])
        self.assertEqual(said([3, 0], granularity="tensor"), ["a rank without elements (not declared)"])
        self.assertEqual(said([3, 1], granularity="tensor"), [])
        self.assertEqual(said([3], granularity="tensor", no_empty_ranks=False), [])

    def test_refuses_with_the_first(self):
        with self.assertRaises(Refused) as refused:
            refuse_undeclared(case_of({"stage": 3}), LEAST)
        self.assertEqual((refused.exception.code, str(refused.exception)), (UNIMPLEMENTED, "stage 3 (declared: 1)"))

    def test_refuses_options_where_there_are_none(self):
        refuse_undeclared(case_of({}), LEAST, {})
        with self.assertRaises(Refused) as refused:
            refuse_undeclared(case_of({}), LEAST, {"device": "cpu", "math": "fast"})
        self.assertEqual(
            (refused.exception.code, str(refused.exception)),
            (INVALID_ARGUMENT, "expected no options, got device, math"),
        )


FROZEN = ROLES | {"frozen": [{"parameter": 0, "begin": 0, "end": 1}]}


class InvalidRequestsTest(unittest.TestCase):
    def refusal_of(self, changes, step=0):
        """Why a step or a micro-batch of it is refused, "" if not; what is frozen has no gradient but by mistake."""
        case = case_of(changes)
        right = [None if case.is_frozen(p, step) else [0.5] for p in range(len(case.parameters))]
        try:
            calls = Calls(case)
            for micro_batch in invalid_micro_batches(case, step):
                calls.accumulate(step, micro_batch, invalid_gradients(case, step, micro_batch, right))
            calls.step()
        except Refused as refused:
            self.assertEqual(refused.code, INVALID_ARGUMENT)
            return str(refused)
        return ""

    def test_are_refused(self):
        count = len(case_of({}).parameters)
        expected = f"expected one gradient per parameter ({count}), got "
        self.assertEqual(self.refusal_of({"invalid_request": "fewer gradients"}), f"{expected}{count - 1}")
        self.assertEqual(self.refusal_of({"invalid_request": "more gradients"}), f"{expected}{count + 1}")
        self.assertIn(
            "is frozen: expected no gradient",
            self.refusal_of({"invalid_request": "gradient of frozen", "roles": FROZEN}),
        )

    def test_are_wrong_numbers_of_micro_batches(self):
        self.assertEqual(
            self.refusal_of({"invalid_request": "fewer micro-batches"}), "expected 1 micro-batches before a step, got 0"
        )
        self.assertEqual(
            self.refusal_of({"invalid_request": "more micro-batches"}),
            "expected 1 micro-batches a step, got micro-batch 1 after 1 of them",
        )
        self.assertEqual(self.refusal_of({"invalid_request": "fewer micro-batches"}, step=1), "")

    def test_come_in_the_first_micro_batch_alone(self):
        self.assertEqual(self.refusal_of({"invalid_request": "fewer gradients"}, step=1), "")
        self.assertEqual(self.refusal_of({"roles": FROZEN}), "")

    def test_are_an_option_beside_those_of_the_run(self):
        case = case_of({"invalid_request": "option", "invalid_option": "math=nobodys"})
        self.assertEqual(invalid_options(case, {"device": "cpu"}), {"device": "cpu", "math": "nobodys"})
        self.assertEqual(invalid_options(case_of({}), {"device": "cpu"}), {"device": "cpu"})

    def test_are_a_code_that_the_header_does_not_define(self):
        can = LEAST | {"overlap": True}
        for field, said in {
            "stage": "stage 4 (declared: 1)",
            "optimizer": "the optimizer optimizer of nobody (declared: adamw)",
            "param_dtype": "parameters of param_dtype of nobody (declared: fp32)",
            "accumulation_dtype": "accumulation in accumulation_dtype of nobody (declared: fp32)",
            "reduce_dtype": "reduction in reduce_dtype of nobody (declared: fp32)",
            "offload": "offload offload of nobody (declared: none)",
            "overlap": "overlap overlap of nobody (known: any, off, on)",
            "tensor_parts": "tensor_parts tensor_parts of nobody (declared: even)",
        }.items():
            case = case_of({"invalid_request": "code", "invalid_option": f"{field}=4"})
            self.assertEqual(list(undeclared(case, can)), [said])


if __name__ == "__main__":
    unittest.main()
