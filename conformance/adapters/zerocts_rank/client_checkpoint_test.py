"""The client: a rank in Python saves, and goes on with what was saved."""

import tempfile
import unittest

import numpy
from tests.conductor import ClientTest, case_json, frame


class Checkpoints(ClientTest):
    def resumed(self, behaviour, how, folder=None, **more):
        """What the rank asked for, and the values of each name that it showed, when the checkpoint is of the first of
        two steps.
        """
        folder = folder or self.new_folder()
        conductor = self.start(behaviour)
        case = case_json(
            steps=2, observe_states=False, poison_memory=False, checkpoint={"after_step": 0, "how": how, **more}
        )
        conductor.run(case, frames=[frame(1, 2, 3, 4, 5)] * 3, checkpoint_folder=folder)
        asked, observed, frames = conductor.serve()
        if observed["type"] == "refused":
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


if __name__ == "__main__":
    unittest.main()
