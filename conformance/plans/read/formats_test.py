#!/usr/bin/env python3
"""The readers of formats/, function by function. The fixtures are two checkpoints that orbax 0.12.8 saved with jax
0.10.2, without the data of their arrays where it is not looked at: testdata/orbax/ocdbt_2x2 by one process with four
devices, testdata/orbax/zarr_3x2 by three with two each.

usage: formats_test.py ZEROCTS
"""

import collections
import pickle
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "formats"))

import deepspeed_stages  # noqa: E402
import deepspeed_universal  # noqa: E402
import formats  # noqa: E402
import inert_pickle  # noqa: E402
import orbax_arrays  # noqa: E402
import pickles  # noqa: E402
from orbax_sharding import Sharding, Shards, _array_name  # noqa: E402
from reading import Reading, Refused, is_printable  # noqa: E402
from stored_tensors import Block, StoredTensor, odd_orders, set_plan  # noqa: E402


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory())) / "checkpoint"

    def copy(self, fixture):
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(HERE / "testdata/orbax" / fixture, self.folder)

    def says(self):
        """The first fault, or why it is refused."""
        try:
            faults = orbax_arrays.read(str(self.folder)).faults
            return faults[0] if faults else "whole"
        except Refused as refused:
            return str(refused)

    def replace(self, file, old, new):
        text = (self.folder / file).read_text()
        self.assertIn(old, text)
        (self.folder / file).write_text(text.replace(old, new))


class Orbax(Folder):
    def plan(self, fixture):
        self.copy(fixture)
        self.assertEqual(self.says(), "whole")
        return orbax_arrays.read(str(self.folder)).plan

    @staticmethod
    def rule_of(plan, name):
        at = next(t for t, tensor in enumerate(plan["model"]) if tensor["name"] == name)
        return plan["parameters"]["divisions"][at]

    def test_takes_shards_from_spec_and_mesh(self):
        """b is divided along the inner axis alone, c along both in dimension 0, w by one axis per dimension."""
        plan = self.plan("ocdbt_2x2")
        self.assertEqual([tensor["shape"] for tensor in plan["model"]], [[6], [12, 2], [4, 12], [3], []])
        c, b, w = (self.rule_of(plan, f"params.dense.{name}") for name in "cbw")
        self.assertEqual((c["rule"], c["dimension"]), ("rows", 0))
        self.assertEqual([piece["locations"] for piece in b["pieces"]], [[0, 2], [0, 2], [1, 3], [1, 3]])
        self.assertEqual(b["pieces"][3]["source"], [3, [1]])
        self.assertEqual(w["pieces"][2]["shape"], [2, 6])
        self.assertEqual(w["pieces"][2]["source"], [24, [12, 1]])
        self.assertEqual(w["pieces"][2]["locations"], [2])

    def test_divides_in_the_order_of_the_spec(self):
        """By y first and x inside of it, on a mesh that counts y fastest: x 0, y 1 has the third of six parts."""
        sharding = Sharding({"x": 2, "y": 3}, [], [["y", "x"]])
        tensor = Shards({"w": sharding}).tensor("w", [12, 2], "fp32", sharding)
        begins = {block.shard: block.offsets[0] for block in tensor.blocks}
        self.assertEqual([begins[shard] for shard in range(6)], [0, 4, 8, 2, 6, 10])

    def test_takes_shapes_from_zarr(self):
        """r was written by one sixth on each of six replicas, w by a half on each of two."""
        plan = self.plan("zarr_3x2")
        self.assertEqual([tensor["shape"] for tensor in plan["model"]], [[7], [18], [12, 3]])
        self.assertEqual(plan["parameters"]["axes"], ["data"])
        self.assertEqual(self.rule_of(plan, "w")["rule"], "rows")

    def test_is_read_by_the_folder_of_a_step(self):
        self.copy("zarr_3x2")
        self.folder.rename(self.folder.with_name("aside"))
        self.folder.mkdir()
        self.folder.with_name("aside").rename(self.folder / "default")
        self.assertEqual(self.says(), "whole")
        shutil.copytree(self.folder / "default", self.folder / "again")
        self.assertEqual(self.says(), "it has items again and default: expected the folder of one")
        for item in ("again", "default"):
            shutil.rmtree(self.folder / item)
        self.assertEqual(self.says(), "expected _METADATA in it or in one folder in it, there is none")

    def test_finds_what_is_missing(self):
        for file, sentence in (
            ("array_metadatas/process_1", "array_metadatas/process_1 is missing: the last process is 2"),
            ("array_metadatas", "b is an array of jax, and array_metadatas does not have it"),
            ("_sharding", "b is an array of jax, and _sharding does not have it"),
            ("w/3.0", "file w/3.0 is missing"),
            ("w/.zarray", "the array in folder w is missing"),
        ):
            self.copy("zarr_3x2")
            shutil.rmtree(self.folder / file) if (self.folder / file).is_dir() else (self.folder / file).unlink()
            self.assertEqual(self.says(), sentence)
        self.copy("zarr_3x2")
        (self.folder / "r/0").write_bytes(b"")
        self.assertEqual(self.says(), "file r/0 is empty")

    def test_looks_at_manifests(self):
        self.copy("ocdbt_2x2")
        manifest = self.folder / "manifest.ocdbt"
        manifest.write_bytes(manifest.read_bytes()[:50])
        self.assertIn("file manifest.ocdbt has 50 bytes: expected", self.says())
        shutil.rmtree(self.folder / "ocdbt.process_0")
        self.assertIn("file manifest.ocdbt has 50 bytes", self.says())
        self.copy("ocdbt_2x2")
        shutil.rmtree(self.folder / "ocdbt.process_0")
        missing = "every process wrote, folder ocdbt.process_0 is missing: the last process is 0"
        self.assertEqual(self.says(), missing)

    def test_compares_what_was_written_with_the_sharding(self):
        spec = r"\"partition_spec\": [\"data\"]"
        for file, old, new, sentence in (
            ("w/.zarray", "[12,3]", "[13,3]", "w has shape [13, 3] and is cut into 3 parts along dimension 0"),
            ("w/.zarray", "[12,3]", "[24,3]", "4 to a part: expected no more than it has replicas, 2"),
            ("w/.zarray", "[12,3]", "[12]", "w: .zarray: shape [12] and chunks [2, 3]: expected as many sizes"),
            ("w/.zarray", '"chunks":[2,3]', '"chunks":[1,3]', "w has files of [1, 3]: expected [2, 3] by"),
            ("r/.zarray", "[18]", "[17]", "r has shape [17] and is written by blocks of [3]: expected the parts"),
            ("_METADATA", "[2, 3]", "[4, 3]", "w is written by blocks of [4, 3] in _METADATA, and of [2, 3] in"),
            ("array_metadatas/process_2", "[7]", "[8]", "array_metadatas/process_2 has other arrays or shapes"),
            ("_sharding", spec, spec.replace("data", "dada"), "_sharding: w: partition_spec names axis dada, which"),
            (
                "_sharding",
                spec,
                spec.replace("[", r"[\"data\", "),
                "_sharding: w: partition_spec names axis data twice",
            ),
            (
                "_sharding",
                spec,
                spec.replace("[", "[null, null, "),
                "w is written by blocks of [2, 3]: expected at least 3",
            ),
            ("_sharding", r"{\"id\": 4096}", r"{\"id\": 0}", "_sharding: b: device_mesh has device 0 twice"),
            ("_sharding", '"dw=="', '"d!=="', '_sharding: expected base64, got "d!=="'),
            ("_sharding", '"dw=="', '"d3h5"', "w is an array of jax, and _sharding does not have it"),
            ("_sharding", "NamedSharding", "Positional", "_sharding: b: sharding_type: expected NamedSharding or"),
        ):
            self.copy("zarr_3x2")
            self.replace(file, old, new)
            self.assertIn(sentence, self.says())

    def test_refuses_arrays_on_two_meshes(self):
        self.copy("ocdbt_2x2")
        mesh = r"\"partition_spec\": [], \"device_mesh\": {\"mesh\": [[{\"id\": %d}, {\"id\": %d}]"
        self.replace("_sharding", mesh % (0, 1), mesh % (1, 0))
        self.assertEqual(
            self.says(), "_sharding: rep has another mesh than params.dense.b: expected one mesh for all arrays"
        )

    def test_takes_base64_as_it_is_defined(self):
        """RFC 4648, section 10."""
        self.assertEqual([_array_name(text) for text in ("Zg==", "Zm8=", "Zm9vYmFy")], ["f", "fo", "foobar"])
        for wrong in ("", "Zg=", "Z===", "Zm9v\n", "Zm-_", "===="):
            self.assertRaises(Refused, _array_name, wrong)


class Pickles(unittest.TestCase):
    def test_are_values(self):
        values = [None, True, 7, -70000, 2**40, 2**70, 1.5, "w", b"x", [1, [2]], (1, 2), {"a": {3}}, frozenset({4})]
        for protocol in (4, 5):  # earlier ones have bytes and sets by a name
            self.assertEqual(inert_pickle.load(pickle.dumps(values, protocol)), values)
        ordered = inert_pickle.load(pickle.dumps(collections.OrderedDict(a=1, b=2), 2))
        self.assertEqual(list(ordered.items()), [("a", 1), ("b", 2)])

    def test_keep_calls_as_values(self):
        tensor = inert_pickle.load(pickles.pickled({"w": pickles.Tensor((3, 5))}))["w"]
        self.assertEqual(tensor.named, "torch._utils._rebuild_tensor_v2")
        self.assertEqual(tensor.arguments[0].id[2], "0")
        self.assertEqual(tensor.arguments[2], (3, 5))

    def test_may_hold_themselves(self):
        held = inert_pickle.load(b"\x80\x02]q\0h\0a.")
        self.assertIs(held[0], held)

    def test_are_refused_in_every_beginning(self):
        whole = pickles.pickled({"w": pickles.Tensor((3, 5))})
        for end in range(len(whole)):
            self.assertRaises(Refused, inert_pickle.load, whole[:end])

    def test_know_no_name_that_python_could_call(self):
        """The real thing is not to be had, whatever stands in the list."""
        for module, name in inert_pickle.KNOWN:
            made = inert_pickle.load(b"\x80\x02c" + f"{module}\n{name}\n.".encode())
            self.assertIn(made.__module__, ("inert_pickle",))


class Deepspeed(Folder):
    def says_of(self, steps, of_training=None):
        """The faults of a checkpoint whose ranks have taken so many steps."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        for rank, step in enumerate(steps):
            moments = {"step": pickles.Tensor((), "1"), "exp_avg": pickles.Tensor((4,))}
            state = {
                "zero_stage": 3,
                "partition_count": len(steps),
                "fp32_flat_groups": [pickles.Tensor((4,))],
                "optimizer_state_dict": {"state": {0: moments}},
            }
            path = self.folder / f"zero_pp_rank_{rank}_mp_rank_00_optim_states.pt"
            storages = {"0": b"\0" * 16, "1": struct.pack("<f", step)}
            pickles.torch_save(path, {"optimizer_state_dict": state}, storages)
        for rank, step in enumerate(of_training or [max(steps)]):
            model = {
                "param_shapes": [{"w": pickles.size(4 * len(steps))}],
                "dp_world_size": len(steps),
                "ds_config": {"zero_optimization": {}},
                "global_steps": step,
            }
            pickles.torch_save(self.folder / f"zero_pp_rank_{rank}_mp_rank_00_model_states.pt", model)
        return deepspeed_stages.read(str(self.folder)).faults

    def test_tells_steps_apart(self):
        self.assertEqual(self.says_of([5, 5]), [])
        self.assertEqual(self.says_of([5, 5], [7, 7]), [], "some were skipped")
        optimizer, model = ("zero_pp_rank_{}_mp_rank_00_%s_states.pt" % what for what in ("optim", "model"))
        self.assertEqual(
            self.says_of([5, 6]),
            [
                f"{optimizer.format(1)}: its state of group 0 is of step 6, that of {optimizer.format(0)} of step 5: "
                "the files are of two steps"
            ],
        )
        self.assertEqual(
            self.says_of([5, 5], [5, 6]),
            [f"{model.format(1)} is of step 6, {model.format(0)} of step 5: the files are of two steps"],
        )
        self.assertEqual(
            self.says_of([6, 6], [5, 5]),
            [f"{optimizer.format(0)} is of step 6, the model's files of step 5: the files are of two steps"],
        )

    def test_tells_steps_of_universal_checkpoints_apart(self):
        self.says_of([5, 5])
        for parameter, step in (("v", 5), ("w", 6)):
            (self.folder / "zero" / parameter).mkdir(parents=True)
            for file, value, content in (("step", (), struct.pack("<f", step)), ("fp32", (4,), b"\0" * 16)):
                tensor = pickles.Tensor(value)
                pickles.torch_save(self.folder / "zero" / parameter / f"{file}.pt", tensor, {"0": content})
        model = {"param_shapes": [{"v": pickles.size(4), "w": pickles.size(4)}], "dp_world_size": 1}
        model["ds_config"] = {"zero_optimization": {}}
        for file in self.folder.glob("*_model_states.pt"):
            pickles.torch_save(file, model)
        self.assertEqual(
            deepspeed_universal.read(str(self.folder)).faults,
            ["zero/v/step.pt of step 5.0, zero/w/step.pt of step 6.0: the files are of two steps"],
        )


class StoredTensors(unittest.TestCase):
    def test_whose_shards_stand_in_an_odd_order_are_told(self):
        def tensor(name, *shards):
            blocks = [Block([2 * i], [2], shard) for i, shard in enumerate(shards)]
            return StoredTensor(name, [2 * len(shards)], "fp32", blocks)

        others = [tensor("a", 0, 1, 2), tensor("b", 0, 1, 2), tensor("one", 1)]
        self.assertEqual(odd_orders(others), [])
        self.assertEqual(
            odd_orders([*others, tensor("w", 1, 0, 2)]),
            ["whether blocks of w were swapped: its shards stand in the order 1, 0, 2, those of a 0, 1, 2"],
        )
        self.assertEqual(len(odd_orders([tensor("w", 1, 0), tensor("a", 0, 1)])), 1)

    @staticmethod
    def reading(shape, *blocks):
        reading = Reading()
        set_plan(reading, "test", [StoredTensor("w", shape, "fp32", [Block(*block) for block in blocks])], {"file": 2})
        return reading

    def test_are_pieces_of_rows_and_columns(self):
        pieces = self.reading([5, 3], ([0, 0], [5, 2], 0), ([0, 2], [5, 1], 1)).plan["parameters"]["divisions"][0][
            "pieces"
        ]
        self.assertEqual(
            pieces[1], {"shard": 1, "shape": [5, 1], "source": [2, [3, 1]], "dest": [0, [1, 1]], "locations": [1]}
        )

    def test_may_not_reach_into_the_next_row(self):
        """Rows 0 to 2, columns 2 to 3 of a tensor with three columns: its elements would be those of the next rows."""
        sentence = "a block of w begins at [0, 2] with sizes [2, 2]: expected it within [5, 3]"
        self.assertEqual(self.reading([5, 3], ([0, 2], [2, 2])).faults, [sentence])

    def test_are_refused_where_the_judge_cannot_list_them(self):
        for shape, block in (
            ([1 << 22, 2], ([0, 0], [1 << 22, 1])),
            ([4, 2], ([0], [4])),
            ([1 << 40, 1 << 40], ([], [])),
        ):
            self.assertRaises(Refused, self.reading, shape, block)


class Formats(unittest.TestCase):
    def test_of_names(self):
        self.assertTrue(is_printable("w.\u00e4\u00a0\U0001f600"))
        for text in ("a\n", "\x7f", "\x85", "\ud800", "x" * 4097):
            self.assertFalse(is_printable(text))
        self.assertTrue(formats.RANK_FILE.fullmatch("bf16_zero_pp_rank_2_mp_rank_00_optim_states.pt"))
        self.assertFalse(formats.RANK_FILE.fullmatch("fp16_zero_pp_rank_2_mp_rank_00_optim_states.pt"))


class Command(Folder):
    """The program with formats of its own beside it, as it finds them."""

    def read_with(self, code):
        """(exit code, what it says) where the reader of DCP ends so."""
        program = self.folder / "bin/zerocts"
        program.parent.mkdir(parents=True)
        shutil.copy(ZEROCTS, program)
        readers = self.folder / "share/zerocts/plans_read"
        shutil.copytree(HERE / "formats", readers)
        reader = readers / "torch_dcp.py"
        reader.write_text(f"{reader.read_text()}\n{code}\n")
        (self.folder / ".metadata").write_bytes(b"\x80\x02N.")
        command = [program, "plan", "read", self.folder]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        return ended.returncode, ended.stderr

    def test_names_the_package_that_is_missing(self):
        code, said = self.read_with("import no_such_package")
        self.assertEqual(code, 3, said)
        self.assertIn("reading this format needs the Python package no_such_package: install it", said)

    def test_says_that_a_reader_is_broken(self):
        code, said = self.read_with("def read(folder):\n    1 / 0")
        self.assertEqual(code, 3, said)
        self.assertIn("the reader of this format is broken: ZeroDivisionError in", said)

    def test_refuses_what_a_file_could_make_a_reader_do(self):
        code, said = self.read_with("def read(folder):\n    open(folder + '/written', 'w')")
        self.assertEqual((code, (self.folder / "written").exists()), (2, False), said)
        self.assertIn("it makes its reader try open: refused", said)


if __name__ == "__main__":
    ZEROCTS = sys.argv.pop(1)
    unittest.main()
