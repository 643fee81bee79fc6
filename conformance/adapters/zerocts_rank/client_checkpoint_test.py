"""The client: a rank in Python saves, and goes on with what was saved."""

import pathlib
import tempfile
import unittest

import numpy
from tests.conductor import ClientTest, case_json, frame


class Checkpoints(ClientTest):
    def resumed(self, behaviour, how, folder=None, **more):
        """What the rank asked for, and the values of each name that it showed, when the checkpoint is of the first of
        two steps.
        """
        return self.run_of(behaviour, folder, checkpoint={"after_step": 0, "how": how, **more})

    def run_of(self, behaviour, folder=None, micro_batches=1, steps=2, **more):
        """The same of any case."""
        conductor = self.start(behaviour)
        case = case_json(steps=steps, observe_states=False, poison_memory=False, micro_batches=micro_batches, **more)
        frames = [frame(1, 2, 3, 4, 5)] * (1 + steps * micro_batches)
        conductor.run(case, frames=frames, checkpoint_folder=folder or self.new_folder())
        asked, observed, frames = conductor.serve()
        if observed["type"] in ("refused", "breach"):
            return asked, observed
        values, _, _ = frames
        values, shown = numpy.frombuffer(values, "<f4"), {}
        for step, what, _, begin, end in zip(*[iter(observed["records"])] * 5):
            shown.setdefault((step, observed["what"][what]), []).extend(values[: end - begin].tolist())
            values = values[end - begin :]
        return asked, shown

    def new_folder(self):
        return self.enterContext(tempfile.TemporaryDirectory())

    def test_resumes_with_a_subject_that_was_opened_with_other_values(self):
        asked, shown = self.resumed("good", "resume")
        self.assertEqual(asked, ["saved", "barrier", "saved of the next engine"])
        self.assertEqual(
            list(shown), [(-1, "parameter"), (0, "parameter"), (0, "parameter_after_resume"), (1, "parameter")]
        )
        self.assertEqual(shown[0, "parameter_after_resume"], [1, 2, 3, 4, 5])
        _, shown = self.resumed("forgets", "resume")
        self.assertEqual(shown[0, "parameter_after_resume"], [0.5, 0, -0.5, -1, -1.5])

    def test_damages_what_was_saved_before_it_is_loaded(self):
        for what in ("missing", "cut"):
            asked, refused = self.resumed("good", "resume", damage={"what": what, "file": 3})
            self.assertEqual((asked, refused["call"], refused["step"]), (["saved", "barrier", "barrier"], "load", 0))

    def test_saves_and_goes_on(self):
        asked, shown = self.resumed("forgets", "save_only")
        self.assertEqual(asked, ["saved", "barrier"])
        self.assertEqual([step for step, _ in shown], [-1, 0, 1])

    def test_begins_with_what_others_saved(self):
        folder = self.new_folder()
        self.resumed("good", "save_only", folder)
        asked, shown = self.resumed("good", "load", folder, other_world_size=3)
        self.assertEqual(asked, ["saved"])
        self.assertEqual(list(shown), [(0, "parameter_after_resume"), (1, "parameter")])
        self.assertEqual(shown[0, "parameter_after_resume"], [1, 2, 3, 4, 5])
        _, shown = self.resumed("forgets", "load", folder, other_world_size=3)
        self.assertEqual(shown[0, "parameter_after_resume"], [0.5, 0, -0.5, -1, -1.5])

    def test_makes_extra_calls_in_their_order(self):
        calls = [(1, 0, "read"), (1, 1, "resume"), (1, 1, "read"), (1, 2, "resume")]
        folder = self.new_folder()
        asked, shown = self.run_of("counts", folder, micro_batches=2, extra_calls=calls_of(calls))
        self.assertEqual(asked.count("barrier"), 2, "every rank has saved before any loads")
        self.assertEqual(sorted(path.name for path in pathlib.Path(folder).iterdir()), ["save_1", "save_2"])
        # of each name: how many micro-batches the engine was given by then
        self.assertEqual(
            {name: values[::5] for name, values in shown.items()},
            {
                (-1, "parameter"): [0],
                (0, "parameter"): [2],
                (1, "parameter_before_step"): [2, 1],  # 1: in the fresh engine, which got it again
                (0, "parameter_after_resume"): [0, 0],
                (1, "parameter"): [2],  # both come again
            },
        )

    def test_returns_to_the_first_save_after_a_step(self):
        calls = [(0, 1, "save"), (1, 0, "save"), (2, 1, "save"), (2, 1, "return"), (2, 2, "read")]
        asked, shown = self.run_of("counts", micro_batches=2, steps=3, extra_calls=calls_of(calls))
        self.assertEqual(asked.count("barrier"), 3)
        self.assertEqual(shown[0, "parameter_after_resume"][::5], [0])
        times = {step: len(values) // 5 for (step, what), values in shown.items() if what == "parameter"}
        self.assertEqual(times, {-1: 1, 0: 1, 1: 2, 2: 1})  # step 1 is repeated
        self.assertEqual(shown[2, "parameter_before_step"][::5], [4])

    def test_tells_of_calls_out_of_order_that_are_taken(self):
        for call, text in (
            ((1, 0, "early step"), "took a call out of order (early step in step 1 after 0 of its micro-batches)"),
            ((0, 1, "wrong micro-batch"), "took a call out of order (wrong micro-batch in step 0 after 1 of its"),
        ):
            _, breach = self.run_of("counts", extra_calls=calls_of([call]))
            self.assertIn(text, breach["text"])


def calls_of(calls):
    return [dict(zip(("step", "micro_batches", "kind"), call)) for call in calls]


if __name__ == "__main__":
    unittest.main()
