"""Faults that people make, or that frameworks had, planted in train.py by --fault NAME."""

import importlib
import os
import pathlib
import signal
import sys

import torch
import torch.distributed as dist
import torch.distributed.algorithms.ddp_comm_hooks.default_hooks
import transport_faults
from fault import Fault, local_of


class SumInPlaceOfMean(Fault):
    def optimizer(self, optimizer, model):
        def hook(state, bucket):
            return dist.all_reduce(bucket.buffer(), async_op=True).get_future().then(lambda f: f.value()[0])

        model.register_comm_hook(None, hook)
        return optimizer


class ReducedTwice(Fault):
    def optimizer(self, optimizer, model):
        def hook(state, bucket):
            buffer = bucket.buffer()
            dist.all_reduce(buffer.div_(dist.get_world_size()))
            return dist.all_reduce(buffer, async_op=True).get_future().then(lambda f: f.value()[0])

        model.register_comm_hook(None, hook)
        return optimizer


class NeverSynchronised(Fault):
    def sync(self, model, context):
        return model.no_sync() if hasattr(model, "no_sync") else context

    def optimizer(self, optimizer, model):
        if not hasattr(model, "no_sync"):
            model.set_requires_gradient_sync = lambda on: type(model).set_requires_gradient_sync(model, False)
        return optimizer


class LastMicroBatchAlone(Fault):
    def after_backward(self, model, optimizer, step, micro):
        if micro == 0:
            optimizer.zero_grad()


class ReducedWrongly(Fault):
    """`change` after DDP's or FSDP2's reduction, in the framework's place; `name`: of DDP's parameter."""

    def change(self, flat, rank, name):
        raise NotImplementedError

    def optimizer(self, optimizer, model):
        if hasattr(model, "reducer"):
            self.in_ddp(model)
        else:
            self.in_fsdp2()
        return optimizer

    def in_ddp(self, model):
        names = {id(p): name for name, p in model.named_parameters()}
        original = dist.algorithms.ddp_comm_hooks.default_hooks.allreduce_hook

        def hook(group, bucket):
            def changed(future):
                for parameter, gradient in zip(bucket.parameters(), bucket.gradients()):
                    self.change(gradient, dist.get_rank(), names[id(parameter)])
                return future.value()[0] if isinstance(future.value(), list) else future.value()

            return original(group, bucket).then(changed)

        model.register_comm_hook(dist.group.WORLD, hook)
        model._comm_hooks.clear()  # as if the framework did it

    def in_fsdp2(self):
        original = dist.reduce_scatter_single

        def changed(output, *args, **kwargs):
            result = original(output, *args, **kwargs)
            if result is not None:
                result.wait()
            self.change(output, dist.get_rank(), "")
            return result

        dist.reduce_scatter_single = changed


class OneGradientScaled(ReducedWrongly):
    def change(self, flat, rank, name):
        if name.endswith("norm.bias") or not name:
            flat.mul_(1.001)


class TiedGradientOnOneRank(ReducedWrongly):
    def change(self, flat, rank, name):
        if name.endswith("tokens.weight") and rank == 1:
            flat.mul_(1.5)


class Divided(ReducedWrongly):
    """By 4 more, as by the divisor of another group."""

    def change(self, flat, rank, name):
        flat.mul_(0.25)


class ClippedOnOneRank(Fault):
    def clips(self, rank):
        return rank == 0


class OtherMaxNorm(Fault):
    def max_norm(self, max_norm, rank):
        return max_norm * (1 + 0.1 * rank)


class LearningRateOnOneRank(Fault):
    def before_step(self, model, optimizer, step, rank):
        for group in optimizer.param_groups:
            group["lr"] *= 1 + 0.01 * rank


class LearningRateStaysOutside(Fault):
    """That of ZeroRedundancyOptimizer does not reach the optimizer by which it steps."""

    def optimizer(self, optimizer, model):
        optimizer._sync_param_groups = lambda *_: None
        return optimizer


class RateEndsAtZero(Fault):
    """No fault: some schedules do."""

    def before_step(self, model, optimizer, step, rank):
        if step >= 2:
            for group in optimizer.param_groups:
                group["lr"] = 0.0


class EpsilonOnOneRank(Fault):
    def before_step(self, model, optimizer, step, rank):
        for group in optimizer.param_groups:
            group["eps"] = 1e-8 * (1 + rank)


class SkippedOnOneRank(Fault):
    def skips(self, step, rank):
        return step == 3 and rank == 1


class ElementChanged(Fault):
    def after_step(self, model, optimizer, step, rank):
        if step == 3 and rank == 1:
            local_of(next(p for p in model.parameters() if local_of(p).numel())).detach().view(-1)[0] += 1


class SameData(Fault):
    def data_rank(self, rank):
        return 0


class ParameterLeftOut(Fault):
    def optimizer(self, optimizer, model):
        del optimizer.param_groups[0]["params"][-1]
        return optimizer


class OptimizerBeforeSharding(Fault):
    def optimizer(self, optimizer, model):
        return type(optimizer)([torch.nn.Parameter(torch.zeros(5)) for _ in range(3)], lr=1e-3)


class HalfAStep(Fault):
    """The optimizer's formula spares half of the elements, on all ranks alike."""

    def optimizer(self, optimizer, model):
        module = importlib.import_module("torch.optim.adam")
        original = module._single_tensor_adam

        def half(params, *args, **kwargs):
            kept = [p.detach().clone() for p in params]
            original(params, *args, **kwargs)
            for p, before in zip(params, kept):
                flat, old = local_of(p).view(-1), local_of(before).view(-1)
                flat[::2] = old[::2]

        module._single_tensor_adam = half
        return optimizer


class WrongMoment(Fault):
    """Something writes into the optimizer's state between steps, on one rank."""

    def before_step(self, model, optimizer, step, rank):
        if step == 3 and rank == 1:
            for state in optimizer.state.values():
                local_of(state["exp_avg"]).mul_(0.5)


class MomentsSwapped(Fault):
    """Two tensors of one shape get each other's first moment, on all ranks."""

    def before_step(self, model, optimizer, step, rank):
        if step == 3:
            tensors = [state["exp_avg"] for p, state in optimizer.state.items() if p.shape == (36,)]
            first, second = (local_of(tensor) for tensor in tensors[:2])
            kept = first.clone()
            first.copy_(second)
            second.copy_(kept)


class CountGoesBack(Fault):
    """One rank counts a step less of one parameter."""

    def before_step(self, model, optimizer, step, rank):
        if step == 3 and rank == 1:
            inner = getattr(optimizer, "optim", optimizer)
            next(iter(inner.state.values()))["step"] -= 1


class SteppedTwice(Fault):
    def after_step(self, model, optimizer, step, rank):
        if step == 3:
            torch.optim.SGD(model.parameters(), lr=0.01).step()


class BackwardTwiceOnOneRank(Fault):
    def after_backward(self, model, optimizer, step, micro):
        if step == 3 and micro == 0 and dist.get_rank() == 1:
            with model.no_sync():
                model(torch.zeros(1, 12, dtype=torch.int64)).sum().backward()


class GradientTakenAway(Fault):
    def before_step(self, model, optimizer, step, rank):
        if step == 3:
            list(model.parameters())[4].grad = None


class StaleGather(Fault):
    """FSDP2 gathers parameters once and goes on with them."""

    def after_step(self, model, optimizer, step, rank):
        if step == 1:
            original, kept = dist.all_gather_single, {}

            def stale(output, *args, **kwargs):
                result = original(output, *args, **kwargs)
                if result is not None:
                    result.wait()
                output.copy_(kept.setdefault(output.numel(), output.clone()))
                return result

            dist.all_gather_single = stale


class WeightsScaledOutside(Fault):
    def after_step(self, model, optimizer, step, rank):
        for p in model.parameters():
            local_of(p).detach().mul_(0.999)


class ClippedByValue(Fault):
    """No fault: the script changes gradients before the step."""

    def before_step(self, model, optimizer, step, rank):
        for parameter in model.parameters():
            local_of(parameter.grad).clamp_(-0.01, 0.01)


class FrozenByDetach(Fault):
    def before_wrap(self, model):
        forward = model.forward
        model.forward = lambda tokens: forward(tokens) * 0
        return model


class SameOrder(Fault):
    """Each epoch of two steps has the same batches."""

    def data(self, generator, step):
        if step == 0:
            self.begin = generator.get_state()
        if step % 2 == 0:
            generator.set_state(self.begin)
        return generator


class LossKept(Fault):
    """With its graph."""

    def optimizer(self, optimizer, model):
        self.losses = []
        return optimizer

    def keep(self, loss):
        self.losses.append(loss)


class StateNotLoaded(Fault):
    def loaded(self, state):
        return {}


class StateOfOtherRank(Fault):
    def state_of(self, rank):
        return (rank + 1) % dist.get_world_size()


class CountsAnew(Fault):
    """The bias correction begins again."""

    def loaded(self, state):
        return {**state, "step": torch.zeros(())}


class JudgeKilled(Fault):
    """Something ends the judge of the run in its middle."""

    def after_step(self, model, optimizer, step, rank):
        if step == 2 and rank == 0 and "zerocts_watch" in sys.modules:
            launcher = os.getppid()  # of the ranks
            zerocts = int(pathlib.Path(f"/proc/{launcher}/stat").read_text().rsplit(")", 1)[1].split()[1])
            for child in pathlib.Path(f"/proc/{zerocts}/task/{zerocts}/children").read_text().split():
                if int(child) != launcher:
                    os.kill(int(child), signal.SIGKILL)


class BrokenWitness(Fault):
    def after_step(self, model, optimizer, step, rank):
        if step == 2 and rank == 0 and "zerocts_watch" in sys.modules:
            sys.modules["zerocts_watch.gradients"].picks_of_step = lambda *_: 1 // 0


FAULTS = {
    "": Fault,
    "judge-killed": JudgeKilled,
    "broken-witness": BrokenWitness,
    "sum": SumInPlaceOfMean,
    "reduced-twice": ReducedTwice,
    "never-synchronised": NeverSynchronised,
    "last-micro-batch": LastMicroBatchAlone,
    "one-gradient": OneGradientScaled,
    "tied-gradient": TiedGradientOnOneRank,
    "clipped-on-one": ClippedOnOneRank,
    "other-max-norm": OtherMaxNorm,
    "lr-on-one": LearningRateOnOneRank,
    "rate-ends-at-zero": RateEndsAtZero,
    "eps-on-one": EpsilonOnOneRank,
    "lr-stays-outside": LearningRateStaysOutside,
    "skipped-on-one": SkippedOnOneRank,
    "element-changed": ElementChanged,
    "same-data": SameData,
    "left-out": ParameterLeftOut,
    "optimizer-before-sharding": OptimizerBeforeSharding,
    "half-a-step": HalfAStep,
    "wrong-moment": WrongMoment,
    "moments-swapped": MomentsSwapped,
    "count-goes-back": CountGoesBack,
    "stepped-twice": SteppedTwice,
    "backward-twice": BackwardTwiceOnOneRank,
    "taken-away": GradientTakenAway,
    "stale-gather": StaleGather,
    "scaled-outside": WeightsScaledOutside,
    "divided": Divided,
    "clipped-by-value": ClippedByValue,
    "zero": FrozenByDetach,
    "same-order": SameOrder,
    "loss-kept": LossKept,
    "state-not-loaded": StateNotLoaded,
    "state-of-other-rank": StateOfOtherRank,
    "counts-anew": CountsAnew,
} | transport_faults.FAULTS


def planted(name):
    return FAULTS[name]()
