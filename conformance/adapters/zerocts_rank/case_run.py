"""One case on one rank: drives the subject exactly as the case says, and writes down what it shows."""

import contextlib
import os
import pathlib
import random
import sys
import time
import traceback

import numpy

from .arithmetic import Arithmetic
from .call_refused import CallRefused
from .case import moments_of
from .extra_calls import ExtraCalls
from .given import Given
from .invalid_request import invalid_gradients, invalid_micro_batches, invalid_options
from .observation import Observation
from .profile import Profile
from .rank_threads import TURN
from .resources import Resources
from .subject import UNIMPLEMENTED, Refused, StepResult, Traffic
from .user_place import user_place

ARITHMETIC = Arithmetic()
SECONDS_FOR_THE_CAUSE = 1


def damage_file(folder, what, file):
    """Takes a file away, or half of it: of those that are not empty, in the order of their names."""
    files = sorted(path for path in pathlib.Path(folder).rglob("*") if path.is_file() and path.stat().st_size)
    if files and what == "missing":
        files[file % len(files)].unlink()
    elif files:
        os.truncate(files[file % len(files)], files[file % len(files)].stat().st_size // 2)


class CaseRun(ExtraCalls):
    def __init__(self, subject, case, inputs, host, page, carried, growth, steps, checkpoint_folder=""):
        super().__init__()
        self._subject, self._case, self._inputs, self._host, self._page = subject, case, inputs, host, page
        self._carried, self._growth, self._steps = carried, growth, steps
        self._checkpoint_folder = checkpoint_folder
        self._states = [state for state in ["master", *moments_of(case.optimizer)] if self._declares(state)]
        self._observation = Observation(host.ranks_in_process)
        self._step = -1
        # what the subject did that no result shows: "wrote to the gradient of parameter 3, which it is given read-only,
        # .."
        self.breaches = []
        self._profile = Profile(case.observes("profile"), host)
        self._resources = Resources(case)
        self._moved = numpy.zeros(len(Traffic().counts()), int)  # in this step
        self._seen = numpy.zeros(2, int)  # sent and received in this step

    def run(self):
        """Returns the observation; raises CallRefused."""
        try:
            observation = self._run()
        except CallRefused as refused:
            try:
                self._call("close", self._subject.close)
            except CallRefused:
                pass  # the first refusal is the cause
            if self._refused:  # a right call that is refused after a wrong one may be its fault
                refused.text += f" (after {self._refused}, which it refused, as it should)"
            raise
        self._call("close", self._subject.close)
        return observation

    def _run(self):
        case = self._case
        is_alone = not self._host.ranks_are_threads  # else a process holds what is of many ranks
        looks_at_memory = case.observes("memory") and self._subject.names_all_memory and is_alone
        if looks_at_memory:
            self._growth.begin(self._ours())
        if case.loads_only:
            self._begin_with_checkpoint()
        else:
            self._begin()
        for _ in self._steps_to_make():
            self._set_groups_and_frozen()
            self._make_extra_calls(0)
            begin = time.monotonic_ns()
            self._give_micro_batches()
            self._note_memory("before_step")
            if case.json["read_before_step"] and case.observes_step(self._step):
                self._read_parameters("parameter_before_step")
            self._profile.align()
            with self._counted(), self._noted("step"):
                result = self._call("step", self._subject.step, self._step)
            self._note_memory("after_step")
            self._note_later_memory()
            self._observation.add_step(self._step, result or StepResult(), self._losses)
            self._write_down_traffic()
            if case.reports_steps and not self._goes_on(result or StepResult(), begin):
                self._observe_this_step()
                break
            self._observe()
            if case.saves_after(self._step):
                self._pass_checkpoint()
        if case.observes("memory"):
            self._read_memory(looks_at_memory)
        self._observation.calls, self._observation.memory_points = self._profile.calls, self._profile.memory_points
        self._observation.resources, self._observation.grown = self._resources.rows(), self._resources.grown
        self._observation.notes = self._host.notes
        self._observation.extra_calls = self._extra_calls
        return self._observation

    def _steps_to_make(self):
        """Each at the number that self._step has; a return goes back in them."""
        while self._step + 1 < self._case.steps:
            self._step += 1
            yield

    def _read_memory(self, looks):
        """Looks before the call too: what is spilled inside of it was held."""
        if looks:
            self._growth.look(self._ours())
        self._observation.bytes = self._call("memory", self._subject.memory)
        if looks:
            self._growth.look(self._ours())
            self._observation.growth = self._growth.fields(max(self._step - self._case.first_step + 1, 1))

    def _ours(self):
        """Bytes of this process that are none of the subject's."""
        return self._inputs.held_bytes() + self._observation.held_bytes()

    def _call(self, name, method, *arguments, micro_batch=-1):
        """Every call of the subject goes through here: the page says where it is, our arithmetic is kept, what it
        raises is its refusal.
        """
        self._page.enter(name, self._step, micro_batch)
        before = ARITHMETIC.now()
        try:
            return method(*arguments)
        except Refused as refused:
            raise CallRefused(name, self._step, refused.code, str(refused)) from None
        except NotImplementedError:
            raise CallRefused(
                name, self._step, UNIMPLEMENTED, f"{type(self._subject).__name__} has no method {name}"
            ) from None
        except Exception as failed:
            if isinstance(failed, ValueError) and "read-only" in str(failed):
                self._broke(name, f"wrote to an array that it is given read-only ({failed})")
            traceback.print_exc()
            sys.stderr.flush()
            if self._subject.is_of_another(failed):
                with TURN.given_away():
                    time.sleep(SECONDS_FOR_THE_CAUSE)
            raise CallRefused(
                name,
                self._step,
                self._subject.code_of(failed),
                f"{type(failed).__name__}: {failed}{user_place(failed)}",
            ) from None
        finally:
            if change := ARITHMETIC.restore(before):
                self._broke(name, f"changed {change}")

    def _broke(self, call, what):
        when = f"at step {self._step}" if self._step >= 0 else "before the first step"
        self.breaches.append(f"{what}, {when}, in {call}")

    @contextlib.contextmanager
    def _given(self, call, arrays, names):
        """What the call gets to read; it has to copy what it keeps."""
        given = Given(arrays, names)
        yield
        for name in given.written():
            self._broke(call, f"wrote to {name}, which it is given read-only")
        if self._case.poison_memory:
            given.poison()

    def _of_each_parameter(self, what):
        return [f"{what} of parameter {p}" for p in range(len(self._case.parameters))]

    def _open(self, initial):
        self._host.options = invalid_options(self._case, self._host.options)
        with self._given("open", initial, self._of_each_parameter("the initial values")):
            self._call("open", self._subject.open, self._case, initial, self._host)
        self._meet_before_a_refusal()

    def _meet_before_a_refusal(self):
        """A rank that refuses a later call may take its connections away: nobody opens any more then. Who does not come
        has refused open, or says so itself.
        """
        if self._case.undeclared:
            with contextlib.suppress(Refused):
                self._host.barrier()

    def _begin(self):
        self._open(self._inputs.initial())
        self._note_memory("open")
        self._observe_owned()
        self._observe()

    def _note_memory(self, point):
        if self._step <= 0:
            self._note_memory_now(point)

    def _note_later_memory(self):
        """After a step in the middle and the last one: what is held longer and longer shows there."""
        last = self._case.steps - 1
        if last > 1 and self._step in (self._case.steps // 2, last):
            self._note_memory_now("end" if self._step == last else "middle")

    def _note_memory_now(self, point):
        self._profile.note_point(point, lambda: self._call("memory", self._subject.memory))

    def _begin_with_checkpoint(self):
        """A fresh subject takes over what other ranks saved."""
        self._step = self._case.first_step - 1
        self._load_into_fresh(self._checkpoint_folder)
        self._observe_owned()
        self._observe_resumed()

    def _load_into_fresh(self, folder):
        """Opened with other values."""
        self._open(self._inputs.other_initial())
        self._call("load", self._subject.load, folder)

    def _pass_checkpoint(self):
        """Saves; to resume, goes on with a subject that was opened afresh with other values."""
        self._save(self._checkpoint_folder)
        if "damage" in self._case.checkpoint:
            if self._host.rank == 0:
                damage_file(self._checkpoint_folder, **self._case.checkpoint["damage"])
            self._call("save", self._host.barrier)
        if self._case.resumes_after(self._step):
            self._go_on_with_fresh(self._checkpoint_folder)

    def _save(self, folder):
        self._call("save", self._subject.save, folder)
        self._call("save", self._host.barrier)  # nobody reads what another has not written yet

    def _go_on_with_fresh(self, folder):
        self._call("close", self._subject.close)
        self._host.begin_engine()
        self._load_into_fresh(folder)
        self._observe_resumed()

    def _observe_resumed(self):
        if not self._case.observes_step(self._step):
            return
        if self._case.observes("parameters"):
            self._read_parameters("parameter_after_resume")
        for state in self._states if self._case.observes("states") else []:
            self._read_state(state, self._case.has_state, state + "_after_resume")

    def _observe_owned(self):
        self._observation.owned = [self._owned(p) for p in range(len(self._case.parameters))]

    def _owned(self, p):
        return [(int(begin), int(end)) for begin, end in self._call("owned", self._subject.owned, p)]

    def _set_groups_and_frozen(self):
        if self._step > 0:  # open had those of step 0
            for group, values in self._case.changes(self._step):
                self._call("set_group", self._subject.set_group, group, values)
        for p, parameter in enumerate(self._case.parameters):
            frozen = self._case.is_frozen(p, self._step)
            if parameter.tied_to == p and frozen != (self._step > 0 and self._case.is_frozen(p, self._step - 1)):
                self._call("set_frozen", self._subject.set_frozen, p, frozen)

    def _give_micro_batches(self):
        """A fresh subject that takes over within them gets them again."""
        fresh = True
        while fresh:
            self._losses = []
            fresh = any(map(self._give_micro_batch, invalid_micro_batches(self._case, self._step)))

    def _give_micro_batch(self, micro_batch):
        """Did a fresh subject take over after it?"""
        with self._counted():
            if self._case.trains_model:
                self._give_batch(micro_batch)
            else:
                self._give_gradients(micro_batch)
        return self._make_extra_calls(micro_batch + 1)

    def _give_batch(self, micro_batch):
        batch = self._inputs.batch(self._step, micro_batch)
        self._start(micro_batch)
        with self._noted("forward_backward", micro_batch):
            loss = self._call(
                "accumulate_batch",
                self._subject.accumulate_batch,
                self._step,
                micro_batch,
                *batch,
                micro_batch=micro_batch,
            )
        self._losses.append(float(loss))

    def _give_gradients(self, micro_batch):
        given = min(micro_batch, self._case.micro_batches - 1)  # there is none for one too many
        gradients = invalid_gradients(self._case, self._step, micro_batch, self._inputs.gradients(self._step, given))
        with self._given("accumulate", gradients, self._of_each_parameter("the gradient")):
            self._start(micro_batch)
            with self._noted("accumulate", micro_batch):
                self._call(
                    "accumulate", self._subject.accumulate, self._step, micro_batch, gradients, micro_batch=micro_batch
                )

    @contextlib.contextmanager
    def _noted(self, call, micro_batch=-1):
        """What the call takes and leaves."""
        with self._profile.timed(self._step, call, micro_batch), self._resources.after(self._step, call):
            yield

    def _start(self, micro_batch):
        """Ranks begin their first micro-batch together."""
        if micro_batch == 0:
            self._profile.align()

    @contextlib.contextmanager
    def _counted(self):
        """What the rank moves in this block counts; what reading parameters moves does not."""
        if not self._case.observes("traffic"):
            yield
            return
        moved, seen = self._traffic(), self._seen_traffic()
        yield
        self._moved += self._traffic() - moved
        self._seen += self._seen_traffic() - seen

    def _traffic(self):
        return numpy.array(self._call("traffic", self._subject.traffic).counts())

    def _seen_traffic(self):
        """While no rank is in a call, so that what one has sent the others have received."""
        self._call("traffic", self._host.barrier)
        seen = numpy.array(self._carried.total()) + self._host.passed
        self._call("traffic", self._host.barrier)
        return seen

    def _write_down_traffic(self):
        if self._case.observes("traffic"):
            self._observation.traffic += [self._step, *self._moved.tolist()]
            self._observation.seen_traffic += [self._step, *self._seen.tolist()]
        self._moved[:] = self._seen[:] = 0

    def _goes_on(self, result, begin_ns):
        """Tells of the step that was just made, and waits for the answer."""
        return self._steps.go_on_after(self._step, time.monotonic_ns() - begin_ns, result, self._losses)

    def _observe(self):
        if self._case.observes_step(self._step):
            self._observe_this_step()

    def _observe_this_step(self):
        case = self._case
        if case.observes("parameters"):
            self._read_parameters("parameter")
            if case.json["read_twice"]:
                self._read_parameters("parameter_again")
        if case.observes("states"):
            for state in self._states:
                self._read_state(state, case.has_state)
        if case.observes("gradient") and self._step >= 0 and self._declares("gradient"):
            self._read_state("gradient", lambda p: case.is_updated(p, self._step))

    def _declares(self, state):
        return state in self._subject.capabilities.get("states", [])

    def _read_order(self):
        """The parameters that this rank has, in the order in which they are read, which is the same on every rank."""
        order = list(range(len(self._case.parameters)))
        if self._case.json["read_order"] == "reversed":
            order.reverse()
        if self._case.json["read_order"] == "shuffled":
            random.Random(f"{self._case.seed} {self._step}").shuffle(order)
        return [p for p in order if self._case.is_on(self._host.rank, p)]

    def _read_parameters(self, what):
        order = self._read_order()
        values = iter(self._call("parameter", self._subject.read_parameters, order))
        for p in order:
            self._record(what, p, 0, self._case.parameters[p].numel, "parameter", next, values)
        self._call("parameter", next, values, None)

    def _read_state(self, state, has_it, what=None):
        for p, parameter in enumerate(self._case.parameters):
            is_shown = has_it(p) and self._case.is_on(self._host.rank, p)
            for begin, end in self._observation.owned[p] if is_shown else []:
                if 0 <= begin < end <= parameter.numel:  # else it is the tiling check's finding
                    self._record(what or state, p, begin, end, "state", self._subject.state, state, p, begin, end)

    def _record(self, what, p, begin, end, call, method, *arguments):
        def read():
            self._observation.add(self._step, what, p, begin, end, method(*arguments))

        self._call(call, read)
