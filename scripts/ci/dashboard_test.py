#!/usr/bin/env python3
"""dashboard.cmake on a project that is made up: what ctest leaves for CDash, and what fails.

usage: dashboard_test.py [unittest arguments]
"""

import subprocess
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(made_up LANGUAGES NONE)
include(CTest)
add_custom_target(built ALL COMMAND ${{CMAKE_COMMAND}} -E {build})
add_test(NAME measures COMMAND ${{CMAKE_COMMAND}} -E echo
  "<DartMeasurement name=\\"native/step_time (s)\\" type=\\"numeric/double\\">1.25</DartMeasurement>")
add_test(NAME other COMMAND ${{CMAKE_COMMAND}} -E {test})
add_test(NAME slow COMMAND ${{CMAKE_COMMAND}} -E false)
set_tests_properties(slow PROPERTIES LABELS nightly)
set_tests_properties(other PROPERTIES DEPENDS measures)  # they run side by side, and stand as they end
"""


class Dashboard(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def ended(self, build="true", test="true", model="Experimental", *more):
        (self.folder / "CMakeLists.txt").write_text(PROJECT.format(build=build, test=test))
        options = [f"-DSOURCE={self.folder}", f"-DBINARY={self.folder}/build", "-DSITE=somewhere", *more]
        command = ["ctest", "-S", f"{HERE}/dashboard.cmake,{model}", *options]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=120, check=False)

    def xml(self, name):
        (path,) = self.folder.glob(f"build/Testing/2*/{name}")
        return xml.etree.ElementTree.parse(path)

    def test_measurements_are_for_cdash(self):
        ended = self.ended()
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        measured = {one.get("name"): one.findtext("Value") for one in self.xml("Test.xml").iter("NamedMeasurement")}
        self.assertEqual(measured["native/step_time (s)"], "1.25")
        self.assertEqual(self.xml("Test.xml").getroot().get("Name"), "somewhere")
        self.assertEqual(
            [test.findtext("Name") for test in self.xml("Test.xml").findall(".//Test[Name]")], ["measures", "other"]
        )
        self.xml("Configure.xml"), self.xml("Build.xml")

    def test_what_fails_is_no_success(self):
        for build, test, words in [("true", "false", "a test failed"), ("false", "true", "building failed")]:
            ended = self.ended(build, test)
            self.assertNotEqual(ended.returncode, 0)
            self.assertIn(words, " ".join((ended.stdout + ended.stderr).split()))

    def test_models_and_dashboards_that_do_not_exist(self):
        self.assertIn("expected Experimental, Continuous or Nightly", self.ended(model="Often").stderr)
        refused = self.ended("true", "true", "Experimental", "-DSUBMIT_URL=http://127.0.0.1:9/submit.php")
        self.assertNotEqual(refused.returncode, 0)


if __name__ == "__main__":
    unittest.main()
