"""The calls between those that train: reads, saves, loads into a fresh subject, and calls that are to be refused."""

import pathlib

from .call_refused import CallRefused
from .invalid_request import wrong_number
from .subject import INVALID_ARGUMENT, UNIMPLEMENTED


class ExtraCalls:
    """A part of CaseRun."""

    def __init__(self):
        self._extra_calls = 0  # that were made
        self._saved, self._first_save = [], None  # folders of the saves; that of the one that a return loads
        self._refused = ""  # the last call out of order that was refused

    def _make_extra_calls(self, given):
        """The calls that come after so many micro-batches of this step. True: a fresh subject took over, and they go on
        when it has the micro-batches, too.
        """
        calls = self._case.extra_calls
        while self._extra_calls < len(calls):
            call = calls[self._extra_calls]
            if (call["step"], call["micro_batches"]) != (self._step, given):
                break
            self._extra_calls += 1
            self._make(call)
            if call["kind"] in ("resume", "return") and given > 0:
                return True
        return False

    def _make(self, call):
        kind = call["kind"]
        if kind in ("save", "resume"):
            self._save_again(call)
        if kind == "read" and self._case.observes("parameters"):
            self._read_parameters("parameter_before_step")
        elif kind == "resume":
            self._load_saved(self._step, self._saved[-1])
        elif kind == "return":
            self._load_saved(self._case.saved_for_return["step"], self._first_save)
        elif kind == "early step":
            self._expect_refusal(call, "step", self._subject.step, self._step)
        elif kind in ("wrong micro-batch", "repeated micro-batch"):
            gradients = self._inputs.gradients(self._step, max(call["micro_batches"] - 1, 0))
            number = wrong_number(call, self._case.micro_batches)
            with self._given("accumulate", gradients, self._of_each_parameter("the gradient")):
                self._expect_refusal(call, "accumulate", self._subject.accumulate, self._step, number, gradients)

    def _save_again(self, call):
        """Into a folder of its own, which every rank makes."""
        folder = pathlib.Path(self._checkpoint_folder, f"save_{len(self._saved) + 1}")
        folder.mkdir(parents=True, exist_ok=True)
        self._saved.append(str(folder))
        self._save(self._saved[-1])
        if call is self._case.saved_for_return:
            self._first_save = self._saved[-1]

    def _load_saved(self, step, folder):
        """Goes on at the begin of this step."""
        self._step = step - 1  # what is loaded is of the step before
        self._go_on_with_fresh(folder)
        self._step += 1

    def _expect_refusal(self, call, name, method, *arguments):
        out_of_order = "a call out of order ({kind} in step {step} after {micro_batches} of its micro-batches)".format(
            **call
        )
        try:
            self._call(name, method, *arguments)
        except CallRefused as refused:
            if refused.code == INVALID_ARGUMENT:
                self._refused = out_of_order
                return
            self._broke(
                name,
                f"refused {out_of_order} with code {refused.code}, where {INVALID_ARGUMENT} (INVALID_ARGUMENT) was "
                f"expected: {refused}",
            )
            raise
        self._broke(name, f"took {out_of_order}, which is to be refused")
        raise CallRefused(name, self._step, UNIMPLEMENTED, f"took {out_of_order}")
