"""What subjects on torch have in common: their device, process group, options, clipping, and arrays for tensors."""

import os

import numpy
import torch
import torch._dynamo  # the first optimizer would; here it is imported before ranks are forked

from zerocts_rank import INVALID_ARGUMENT, Calls, Refused, StepResult, Subject, refuse_undeclared
from zerocts_rank.subject import DEADLINE_EXCEEDED, INTERNAL

from . import device, optimizers
from .hyper_parameters import NORM_TYPES
from .process_group import LEFT, group_of
from .traffic import TrafficCounter

CLIP_EPSILON = numpy.float32(1e-6)  # of torch.nn.utils.clip_grad_norm_


def as_array(tensor):
    return tensor.detach().reshape(-1).float().cpu().numpy().copy()


def planted_faults():
    """What tests plant into frameworks; it stands beside these files in the sources of zerocts alone."""
    try:
        import planted_faults  # noqa: PLC0415
    except ModuleNotFoundError as absent:
        if absent.name != "planted_faults":
            raise
        raise Refused(INVALID_ARGUMENT, "expected no option fault: only the sources of zerocts have planted faults")
    return planted_faults


class TorchSubject(Subject):
    version = torch.__version__
    names_all_memory = False
    settings = {}  # its own options: {name: values, what holds without it first}
    open_settings = ()  # in words, those of any value that takes_setting() knows

    def __init__(self):
        torch.set_num_threads(1)
        self.group = None
        self.in_group = False
        self.counter = None

    def open(self, case, initial, host):
        self.in_group = False
        fault = self._fault(host.options)
        refuse_undeclared(case, self.capabilities)
        self.case, self.host, self.calls = case, host, Calls(case)
        self.device = self._take_device(host)
        self._poison_fresh_memory(case.poison_memory)
        self.in_group = True
        self.group = self.group or group_of(host)
        self.group.ensure(host, self.device)
        self.build(
            [self.as_tensor(values).reshape(parameter.shape) for values, parameter in zip(initial, case.parameters)]
        )
        if fault:
            planted_faults().plant(self, fault)
        if case.observes("traffic"):
            self.counter = TrafficCounter()
            self.counter.__enter__()

    def build(self, initial):
        """Makes model and optimizer of tensors that it may keep."""
        raise NotImplementedError

    def _fault(self, options):
        """Looks at all options."""
        known = {**device.options(device.KIND), **self.settings}
        if "fault" in options:
            known["fault"] = planted_faults().names_of(self.name)
        for name, value in options.items():
            if value not in known.get(name, []) and not self.takes_setting(name):
                offered = [f"{option}={'|'.join(values)}" for option, values in known.items()]
                offered = ", ".join([*offered, *self.open_settings])
                raise Refused(INVALID_ARGUMENT, f"option {name}={value} is unknown; this subject has: {offered}")
        return options.get("fault")

    def takes_setting(self, name):
        """Is it one of the open settings? Raises Refused with a sentence of its own."""
        return False

    def setting(self, name):
        return self.host.options.get(name, self.settings[name][0])

    @staticmethod
    def _take_device(host):
        machine = device.Machine(torch.version.cuda, torch.cuda.device_count())
        rank_device = device.rank_device(device.KIND, host.rank, host.world_size, machine, host.options)
        if host.options.get(device.SHARE_A_GPU) == "on":
            device.let_ranks_share_a_gpu(host.rank, os.environ)
        if rank_device.on_gpu:
            torch.cuda.set_device(rank_device.local_rank)
        return rank_device

    def as_tensor(self, array):
        """A copy, on this rank's device."""
        return torch.from_numpy(array.copy()).to(self.device.name)

    def accumulate(self, step, micro_batch, gradients):
        """Through the probe, whose loss has them as its gradient."""
        self.calls.accumulate(step, micro_batch, gradients)
        self.forward_backward(micro_batch, self.as_tensors(gradients))

    def accumulate_batch(self, step, micro_batch, inputs, targets):
        self.calls.micro_batch(micro_batch)
        return self.forward_backward(micro_batch, self.as_tensor(inputs).long(), self.as_tensor(targets).long()).item()

    def forward_backward(self, micro_batch, *inputs):
        """One micro-batch through the framework. Returns the loss, not divided."""
        raise NotImplementedError

    def _poison_fresh_memory(self, poison):
        """torch.empty then gives NaN. On a GPU there are algorithms that add in another order each time."""
        torch.use_deterministic_algorithms(poison or self.device.on_gpu)
        torch.utils.deterministic.fill_uninitialized_memory = poison

    def as_tensors(self, gradients):
        """{index: tensor} of those that there are."""
        return {
            p: self.as_tensor(gradient).reshape(self.case.parameters[p].shape)
            for p, gradient in enumerate(gradients)
            if gradient is not None
        }

    def clip(self, parameters):
        """Clips their gradients; the coefficient is what clip_grad_norm_ makes of its norm, and the update shows what
        was applied.
        """
        if self.case.max_norm == 0:
            return StepResult()
        norm = self.clip_by(NORM_TYPES[self.case.clip_norm], parameters)
        norm = numpy.float32(norm.full_tensor().item() if hasattr(norm, "full_tensor") else norm.item())
        quotient = numpy.float32(1) / (norm + CLIP_EPSILON) * numpy.float32(self.case.max_norm)
        return StepResult(float(norm), float(min(quotient, numpy.float32(1))))

    def clip_by(self, norm_type, parameters):
        """Returns the norm as a tensor."""
        return torch.nn.utils.clip_grad_norm_(parameters, self.case.max_norm, norm_type, foreach=False)

    def traffic(self):
        return self.counter.traffic

    def close(self):
        if self.counter:
            self.counter.__exit__(None, None, None)
        self.counter = None

    def set_options(self, param_group, values):
        param_group.update(optimizers.options(self.case.optimizer, values))

    def code_of(self, failed):
        return DEADLINE_EXCEEDED if "imed out" in str(failed) else INTERNAL

    def is_of_another(self, failed):
        return "closed by peer" in str(failed) or LEFT in str(failed)  # of gloo, of ranks that are threads

    def abandon(self):
        """What is refused before ranks meet, every rank refuses: nobody waits."""
        if self.in_group:
            self.group.abandon()

    def shutdown(self):
        if self.group:
            self.group.end()
