"""Tests of what follows from a device, with machines that are made up; torch is not needed."""

import os
import re
import sys
import unittest
from pathlib import Path

ADAPTERS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ADAPTERS))
from zerocts_rank import INVALID_ARGUMENT, Refused  # noqa: E402
from zerocts_torch import device, hyper_parameters  # noqa: E402

ENGINE = ADAPTERS.parents[1] / "impl/comm/nccl/environment.cpp"
CPU_BUILD, EIGHT_GPUS, ONE_GPU = device.Machine(None, 0), device.Machine("13.0", 8), device.Machine("13.0", 1)
SHARED = {"device": "cuda", device.SHARE_A_GPU: "on"}


class RankDevices(unittest.TestCase):
    def assert_refused(self, words, *arguments):
        with self.assertRaisesRegex(Refused, words) as refused:
            device.rank_device(*arguments)
        self.assertEqual(refused.exception.code, INVALID_ARGUMENT)

    def test_on_cpus_ranks_are_where_they_are(self):
        for machine in (CPU_BUILD, EIGHT_GPUS):
            rank_device = device.rank_device("cpu", 2, 3, machine, {})
            self.assertEqual((rank_device.name, rank_device.local_rank, rank_device.on_gpu), ("cpu", 2, False))

    def test_a_gpu_for_each_rank(self):
        rank_devices = [device.rank_device("cuda", rank, 3, EIGHT_GPUS, {"device": "cuda"}) for rank in range(3)]
        self.assertEqual(
            [(rank_device.name, rank_device.local_rank, rank_device.on_gpu) for rank_device in rank_devices],
            [(f"cuda:{gpu}", gpu, True) for gpu in range(3)],
        )

    def test_more_ranks_than_gpus_share_them_when_told_to(self):
        self.assert_refused(
            "for each of 3 ranks, because NCCL refuses two of them on one, got 1; .*nccl_share_gpu=on",
            "cuda",
            0,
            3,
            ONE_GPU,
            {},
        )
        self.assert_refused("for each of 3 ranks", "cuda", 0, 3, ONE_GPU, {device.SHARE_A_GPU: "off"})
        self.assertEqual(
            [device.rank_device("cuda", rank, 3, device.Machine("13.0", 2), SHARED).name for rank in range(3)],
            ["cuda:0", "cuda:1", "cuda:0"],
        )

    def test_what_is_not_there_is_said(self):
        self.assert_refused("expected a build of torch for CUDA, got one for CPUs alone", "cuda", 0, 1, CPU_BUILD, {})
        self.assert_refused(
            "expected a GPU that torch can use, got none; .*CUDA_VISIBLE_DEVICES",
            "cuda",
            0,
            1,
            device.Machine("13.0", 0),
            SHARED,
        )
        self.assert_refused(
            "expected ZEROCTS_DEVICE=cuda in the environment", "cpu", 0, 1, EIGHT_GPUS, {"device": "cuda"}
        )


class Choices(unittest.TestCase):
    def test_unknown_devices_are_refused_with_the_options(self):
        self.assertEqual(
            [device.kind_of(asked) for asked in (None, "", "cpu", "cuda", "sim")], ["cpu", "cpu", "cpu", "cuda", "cpu"]
        )
        self.assertNotIn("sim", device.options("cpu")["device"])

    def test_ranks_share_gpus_and_nothing_else(self):
        self.assertEqual(device.options("cpu")[device.SHARE_A_GPU], ["off"])
        self.assertIn("on", device.options("cuda")[device.SHARE_A_GPU])

    def test_every_device_has_a_backend(self):
        self.assertEqual(
            {kind: device.BACKENDS[kind] for kind in device.options("cpu")["device"]}, {"cpu": "gloo", "cuda": "nccl"}
        )


class Formulas(unittest.TestCase):
    def test_adam_on_a_gpu_is_judged_by_self_parity(self):
        on_gpu, on_cpu = (hyper_parameters.formulas_of(kind, has_fma=True) for kind in ("cuda", "cpu"))
        self.assertEqual(on_gpu, {"sgd": {"moments": "lerp", "products": "fused"}, "adamw": "own", "adam": "own"})
        self.assertEqual(on_cpu["sgd"], on_gpu["sgd"])
        self.assertEqual(
            {name: formula["decay"] for name, formula in on_cpu.items() if name != "sgd"},
            {"adamw": "before", "adam": "gradient"},
        )
        self.assertEqual(hyper_parameters.formulas_of("cpu", has_fma=False)["sgd"]["products"], "rounded")


class Sharing(unittest.TestCase):
    def test_each_rank_is_a_host_of_its_own(self):
        first, second = ({}, {})
        device.let_ranks_share_a_gpu(0, first)
        device.let_ranks_share_a_gpu(1, second)
        self.assertEqual({name for name in first if first[name] != second[name]}, {"NCCL_HOSTID"})

    def test_what_the_user_set_is_not_overwritten(self):
        environment = {"NCCL_NET": "IB"}
        with self.assertRaisesRegex(Refused, "expected NCCL_NET=Socket .* got IB; unset it"):
            device.let_ranks_share_a_gpu(0, environment)
        self.assertEqual(environment["NCCL_NET"], "IB")
        device.let_ranks_share_a_gpu(0, {"NCCL_NET": "Socket"})

    @unittest.skipUnless(ENGINE.exists(), "needs the sources of the engine")
    def test_the_engine_sets_the_same(self):
        pinned = dict(re.findall(r'Pin\("(NCCL_\w+)", (.+?), (?:kP|p)urpose\)', ENGINE.read_text(encoding="utf-8")))
        self.assertEqual(pinned.pop("NCCL_HOSTID"), 'fmt::format("zerocts-rank-{}", rank)')
        ours = device.nccl_variables(7)
        self.assertEqual(ours.pop("NCCL_HOSTID"), "zerocts-rank-7")
        self.assertEqual({name: value.strip('"') for name, value in pinned.items()}, ours)


class Environment(unittest.TestCase):
    def test_it_is_set_before_torch_is_imported(self):
        self.assertIn("CUBLAS_WORKSPACE_CONFIG", os.environ)
        self.assertNotIn("torch", sys.modules)


if __name__ == "__main__":
    unittest.main()
