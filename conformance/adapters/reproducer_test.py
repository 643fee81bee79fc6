"""reproducer.py with a request that is made up; no framework is needed."""

import ast
import json
import math
import subprocess
import sys
import unittest
from pathlib import Path

import numpy

HERE = Path(__file__).parent
TEMPLATES = ("torch_zero1", "torch_fsdp2", "fairscale_zero", "deepspeed_zero")
ODD = [0.1, -0.0, 1e-45, 3.4028235e38, math.inf, math.nan]  # six values of the first parameter


def bits(values):
    return numpy.array(values, "<f4").view("<u4").tolist()


def request(**changes):
    saved = json.loads((HERE / "expectations/torch-fsdp2/C-ZERO-033-653ff3133a7e642b.json").read_text())
    saved["experiment"].update(
        micro_batches=2,
        steps=3,
        parameters=[{"name": "a", "shape": [2, 3], "group": 0}, {"name": "b", "shape": [1], "group": 0}],
        changes=[{"step": 1, "group": 0, "values": {"lr": 0.25}}, {"step": 2, "group": 0, "values": {"lr": 0.125}}],
    )
    frames = [bits([*ODD, 7.0])] + [bits([*range(6), 8.0])] * 6
    frames[2] = bits(range(6))
    return {
        "clause": "C-ZERO-050",
        "name": "equal steps",
        "requires": "W ranks are one.",
        "seen": 'it said """no\\"',
        "subject": "torch-zero1",
        "version": "2.13.0",
        "zerocts": "0.1.0",
        "file": "reproduce-x.py",
        "case": saved,
        "inputs": [{"without_gradient": [[0, 1, 1]], "frames": frames}] * 2,
        "inputs_of_savers": [],
        "steps": 2,
        "after_resume": False,
        "rank": 1,
        "expected": [{"what": "exp_avg", "parameter": 0, "bits": bits(ODD)}],
        **changes,
    }


def resumed(**changes):
    """Between its steps."""
    wanted = request(**changes)
    wanted["case"]["checkpoint"] = {"after_step": 0, "how": "resume"}
    return wanted


def loaded(**changes):
    """By two ranks, what three saved."""
    wanted = request(**changes)
    wanted["inputs_of_savers"] = [
        {"without_gradient": [], "frames": [wanted["inputs"][0]["frames"][0]] + [bits([*range(6), 9.0])] * 6}
    ] * 3
    wanted["case"]["checkpoint"] = {"after_step": 0, "how": "load", "other_world_size": 3}
    return wanted


def damaged(what):
    wanted = resumed()
    wanted["case"]["checkpoint"]["damage"] = {"what": what, "file": 3}
    return wanted


def write(template, wanted):
    return subprocess.run(
        [sys.executable, str(HERE / "reproducer.py"), template],
        input=json.dumps(wanted),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def constants(text):
    """{name: value} of the constants at the top level; of names of the framework, its text."""
    found = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id.isupper():
            value = ast.unparse(node.value)
            found[node.targets[0].id] = value if value.startswith("torch.") else eval(value, {"float": float})
    return found


class Reproducer(unittest.TestCase):
    def text(self, template="torch_zero1", **changes):
        written = write(template, request(**changes))
        self.assertEqual(written.returncode, 0, written.stderr)
        return written.stdout

    def test_holds_the_numbers_bit_for_bit(self):
        has = constants(self.text())
        self.assertEqual(bits(has["INITIAL"][0]), bits(ODD))
        self.assertEqual(bits(has["EXPECTED"]["exp_avg", 0]), bits(ODD))
        self.assertEqual(has["SHAPES"], [(2, 3), (1,)])
        self.assertEqual(has["OPTIMIZER"], "torch.optim.SGD")
        self.assertEqual(has["MAX_NORM"], 3.0)
        self.assertEqual(has["NORM_TYPE"], math.inf)

    def test_has_the_gradients_of_the_steps_up_to_the_difference(self):
        gradients = constants(self.text())["GRADIENTS"]
        given = [[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [8.0]]
        self.assertEqual(gradients, [[[given, [given[0], None]], [given, given]]] * 2)

    def test_has_the_changes_of_those_steps(self):
        self.assertEqual([list(constants(self.text(steps=steps))["CHANGES"]) for steps in (1, 2, 3)], [[], [1], [1, 2]])

    def test_compares_where_the_difference_was_seen_or_everywhere(self):
        self.assertEqual(constants(self.text())["RANKS"], [1])
        self.assertEqual(constants(self.text(rank=-1))["RANKS"], [0, 1])

    def test_names_states_as_the_framework_does(self):
        for what, name in (
            ("momentum", "momentum_buffer"),
            ("master", "parameter"),
            ("clip_coefficient", "grad_norm"),
            ("gradient", "gradient"),
        ):
            expected = constants(self.text(expected=[{"what": what, "parameter": 1, "bits": [0]}]))["EXPECTED"]
            self.assertEqual(list(expected), [(name, 1)])

    def test_says_what_was_seen_and_how_to_run_it(self):
        words = " ".join(ast.get_docstring(ast.parse(self.text())).split())
        self.assertIn("Seen: it said '''no\\\"", words)
        self.assertIn("torchrun --standalone --nproc-per-node 2 reproduce-x.py", words)
        self.assertIn("zerocts saw this case pass", " ".join(self.text(seen="").split()))

    def test_needs_nothing_of_the_suite(self):
        for template, subject in (
            ("torch_zero1", "torch-zero1"),
            ("torch_fsdp2", "torch-fsdp2"),
            ("fairscale_zero", "fairscale-oss"),
            *(("deepspeed_zero", f"deepspeed-{stage}") for stage in (0, 1, "1-bf16", 2, 3)),
        ):
            text = self.text(template, subject=subject)
            modules = {
                name.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import) for name in node.names
            }
            self.assertEqual(
                modules - {"contextlib", "datetime", "deepspeed", "os", "sys", "torch", "torch.distributed"}, set()
            )
            self.assertNotIn("{", text.split('"""')[1])
            self.assertEqual([line for line in text.splitlines() if line.startswith("# {")], [])

    def test_has_what_of_deepspeed_differs_by_stage(self):
        config = constants(self.text("deepspeed_zero", subject="deepspeed-3"))["CONFIG"]
        self.assertEqual((config["gradient_clipping"], config["gradient_accumulation_steps"]), (3.0, 2))
        for subject, only_there in (
            ("deepspeed-0", "norms = []"),
            ("deepspeed-1-bf16", "_hp_mapping"),
            ("deepspeed-2", "_hp_mapping"),
            ("deepspeed-3", "GatheredParameters"),
        ):
            self.assertIn(only_there, self.text("deepspeed_zero", subject=subject))

    def test_keeps_masters_apart_from_bf16_parameters(self):
        wanted = request(expected=[{"what": "master", "parameter": 0, "bits": bits(ODD)}])
        wanted["case"]["experiment"]["precision"] = "bf16"
        has = constants(write("torch_fsdp2", wanted).stdout)
        self.assertEqual((has["BF16"], list(has["EXPECTED"])), (True, [("master", 0)]))

    def test_has_tied_names(self):
        wanted = request()
        wanted["case"]["experiment"]["roles"]["tied"] = [{"parameter": 1, "owner": 0}]
        has = constants(write("torch_zero1", wanted).stdout)
        self.assertEqual((has["TIED_TO"], [group["params"] for group in has["GROUPS"]]), ([0, 0], [[0]]))

    def test_keeps_what_belongs_to_the_subject(self):
        self.assertIs(constants(self.text("fairscale_zero", subject="fairscale-sharded-ddp"))["SHARDED_DDP"], True)
        self.assertIs(constants(self.text("fairscale_zero", subject="fairscale-oss"))["SHARDED_DDP"], False)
        self.assertIs(constants(self.text("torch_fsdp2", subject="torch-fsdp2"))["RESHARD"], True)
        self.assertIs(constants(self.text("torch_fsdp2", subject="torch-fsdp2-noreshard"))["RESHARD"], False)
        self.assertNotIn("RESHARD", constants(self.text("torch_zero1")))

    def test_resumes_between_the_steps_or_right_before_it_compares(self):
        for template in TEMPLATES:

            def legs(**changes):
                written = write(template, resumed(**changes))
                self.assertEqual(written.returncode, 0, written.stdout)
                return (
                    constants(written.stdout)["LEGS"],
                    "= loaded(" in written.stdout,
                    "import tempfile" in written.stdout,
                )

            self.assertEqual(legs(), ([(0, 1), (1, 2)], True, True))
            self.assertEqual(legs(steps=1, after_resume=True), ([(0, 1), (1, 1)], True, True))
            self.assertEqual(legs(steps=1), ([(0, 1)], False, False))
            self.assertNotIn("def loaded(", self.text(template))

    def test_saves_between_the_steps_and_trains_on(self):
        for template in TEMPLATES:
            wanted = resumed()
            wanted["case"]["checkpoint"]["how"] = "save_only"
            text = write(template, wanted).stdout
            self.assertEqual(constants(text)["LEGS"], [(0, 1), (1, 2)])
            self.assertRegex(text, r"        if begin > 0:\n            saved\(")
            self.assertNotIn("def loaded(", text)
            wanted["steps"] = 1
            self.assertNotIn("saved", write(template, wanted).stdout)

    def test_has_one_run_that_saves_and_one_that_loads(self):
        for template in TEMPLATES:
            text = write(template, loaded()).stdout
            has = constants(text)
            self.assertEqual((has["SAVERS"], has["RANKS"], has["LEGS"]), (3, [1], [(0, 1), (1, 2)]))
            of_savers, of_loaders = has["GRADIENTS"][0]
            self.assertEqual((of_savers[1][1], of_loaders[1][1]), ([9.0], [8.0]))
            self.assertEqual(
                [[bool(step) for step in steps] for steps in has["GRADIENTS"]],
                [[True, True], [True, True], [True, False]],
            )
            ways = [f"torchrun --standalone --nproc-per-node {ranks} reproduce-x.py" for ranks in (3, 2)]
            self.assertIn(" && ".join(ways), " ".join(ast.get_docstring(ast.parse(text)).split()))
            self.assertNotIn("SAVERS", write(template, resumed()).stdout)

    def test_compares_right_after_others_load(self):
        self.assertEqual(
            constants(write("torch_fsdp2", loaded(steps=1, after_resume=True)).stdout)["LEGS"], [(0, 1), (1, 1)]
        )

    def test_damages_what_it_loads_and_ends_there(self):
        for template in TEMPLATES:
            for what in ("missing", "cut"):
                text = write(template, damaged(what)).stdout
                has = constants(text)
                self.assertEqual(
                    (has["DAMAGED"], has["IS_MISSING"], has["LEGS"]), (3, what == "missing", [(0, 1), (1, 1)])
                )
                self.assertIn("    damage(folder)\n    expect_refusal(load, folder)\n", text)
            self.assertNotIn("damage", write(template, resumed()).stdout)

    def test_freezes_in_the_steps_of_the_case(self):
        wanted = resumed()
        wanted["case"]["experiment"]["roles"]["frozen"] = [{"parameter": 1, "begin": 1, "end": 2}]
        text = write("torch_fsdp2", wanted).stdout
        self.assertEqual(constants(text)["FROZEN"], [[], [1]])
        for line in (
            "        freeze(parameters, step)\n",
            "    freeze(parameters, LEGS[0][1] - 1)",
            "        self.anchor = ",
            "        products.append((self.anchor",
        ):
            self.assertIn(line, text)
        self.assertNotIn("FROZEN", self.text("torch_fsdp2"))

    def test_says_what_no_template_shows(self):
        wanted = request()
        wanted["case"]["experiment"]["precision"] = "bf16"
        for template, asked, reason in (
            ("torch_zero1", wanted, "the template torch_zero1 does not show bf16"),
            ("torch_ddp", request(), "there is no template torch_ddp yet"),
        ):
            written = write(template, asked)
            self.assertEqual((written.returncode, written.stdout.strip()), (2, reason), written.stderr)


if __name__ == "__main__":
    unittest.main()
