#!/usr/bin/env python3
"""Tests of the process group whose ranks are threads, in the pinned torch."""

import os
import sys
import threading
import unittest

from available import python_or_skip

INSIDE = "ZEROCTS_TEST_INSIDE"
if INSIDE not in os.environ:
    os.environ[INSIDE] = "1"
    python = python_or_skip("torch")
    os.execv(python, [python, "-B", *sys.argv])

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402

from zerocts_torch.thread_group import ThreadRank  # noqa: E402

RANKS = 3


class MeetingPlace:
    """The set and get of a host."""

    def __init__(self):
        self._values, self._changed = {}, threading.Condition()

    def set(self, key, value):
        with self._changed:
            self._values[key] = value
            self._changed.notify_all()

    def get(self, key, _):
        with self._changed:
            self._changed.wait_for(lambda: key in self._values)
            return self._values[key]


class Host:
    def __init__(self, place, rank, deadline_s):
        self.rank, self.world_size, self.deadline_s = rank, RANKS, deadline_s
        self.set, self.get = place.set, place.get

    def progress(self, operation, detail=""):
        pass


def on_ranks(body, deadline_s=60):
    """What body(rank, group) returned or raised on each rank."""
    ended, place = [None] * RANKS, MeetingPlace()

    def run(rank):
        group = ThreadRank()
        group.ensure(Host(place, rank, deadline_s), None)
        try:
            ended[rank] = body(rank, group)
        except RuntimeError as failed:
            ended[rank] = str(failed)

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(RANKS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return ended


class ThreadGroup(unittest.TestCase):
    def test_adds_in_the_order_of_ranks(self):
        """(1e8 + 1) - 1e8 is 0 in fp32."""

        def body(rank, _):
            tensor = torch.tensor([(1e8, 1.0, -1e8)[rank]])
            dist.all_reduce(tensor)
            return tensor.item()

        self.assertEqual(on_ranks(body), [0.0] * RANKS)

    def test_rounds_each_sum_to_the_tensors_type(self):
        """256 + 1 is 256 in bf16, and so is that + 1."""

        def body(rank, _):
            whole = torch.tensor([256.0, 1.0, 1.0], dtype=torch.bfloat16)[[rank, rank, rank]]
            own = torch.empty(1, dtype=torch.bfloat16)
            dist.reduce_scatter_tensor(own, whole)
            return own.item()

        self.assertEqual(on_ranks(body), [256.0] * RANKS)

    def test_a_mean_is_the_sum_divided_once(self):
        def body(rank, _):
            tensor = torch.tensor([float(rank)])
            dist.all_reduce(tensor, op=dist.ReduceOp.AVG)
            return tensor.item()

        self.assertEqual(on_ranks(body), [1.0] * RANKS)

    def test_gathers_tensors_of_unlike_sizes_and_objects(self):
        def body(rank, _):
            parts = [torch.empty(size + 1, dtype=torch.int64) for size in range(RANKS)]
            dist.all_gather(parts, torch.full((rank + 1,), rank))
            objects = [None] * RANKS
            dist.all_gather_object(objects, {"rank": rank})
            return [part.tolist() for part in parts], [entry["rank"] for entry in objects]

        self.assertEqual(on_ranks(body), [([[0], [1, 1], [2, 2, 2]], [0, 1, 2])] * RANKS)

    def test_a_group_of_some_ranks(self):
        def body(rank, _):
            group = dist.new_group([0, 2])
            tensor = torch.tensor([float(rank + 1)])
            if rank != 1:
                dist.all_reduce(tensor, group=group)
            return tensor.item()

        self.assertEqual(on_ranks(body), [4.0, 2.0, 4.0])

    def test_other_calls_on_other_ranks_are_an_error_of_all(self):
        def body(rank, _):
            tensor = torch.zeros(2)
            return dist.all_reduce(tensor) if rank < 2 else dist.broadcast(tensor, 0)

        for ended in on_ranks(body):
            self.assertIn("rank 2 of the group calls broadcast(float32[2] from 0), where rank 0 calls allreduce", ended)

    def test_other_reductions_on_other_ranks_are_an_error_of_all(self):
        def body(rank, _):
            return dist.all_reduce(torch.zeros(1), op=dist.ReduceOp.MAX if rank == 2 else dist.ReduceOp.SUM)

        for ended in on_ranks(body):
            self.assertIn("calls allreduce(float32[1], MAX), where rank 0 calls allreduce(float32[1], SUM)", ended)

    def test_who_does_not_come_is_named(self):
        def body(rank, _):
            return dist.all_reduce(torch.zeros(1)) if rank != 1 else "elsewhere"

        ended = on_ranks(body, deadline_s=8)
        self.assertIn("timed out after 8 s; rank 1 did not come", ended[0])

    def test_who_waits_for_a_rank_that_left_fails_at_once(self):
        def body(rank, group):
            return group.abandon() if rank == 1 else dist.all_reduce(torch.zeros(1))

        ended = on_ranks(body)
        self.assertIn("rank 1 has left the group", ended[0])
        self.assertIn("rank 1 has left the group", ended[2])


if __name__ == "__main__":
    unittest.main()
