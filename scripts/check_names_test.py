#!/usr/bin/env python3
"""check_names.py finds each kind of name that stands twice, and only that. usage: check_names_test.py CHECK_NAMES"""

import sys

from tree_for_test import run_on

UNITY = "build/CMakeFiles/{}.dir/Unity/unity_{}_cxx.cxx"
ONE_TARGET = {UNITY.format("x", 0): '#include "a.cpp"\n', UNITY.format("x", 1): '#include "b.cpp"\n'}
TWO_TARGETS = {UNITY.format("x", 0): '#include "a.cpp"\n', UNITY.format("y", 0): '#include "b.cpp"\n'}
TWICE = [
    ("constexpr int64_t kBytes = sizeof(float);", "kBytes"),
    ("constexpr std::array kNames{1, 2};", "kNames"),
    ("const std::vector<int> kSizes = {1};", "kSizes"),
    ("struct Part {", "Part"),
    ("enum class Kind { kOne };", "Kind"),
    ("int Sum(int a, int b) { return a + b; }", "Sum"),
    ("std::vector<int> Read(const std::string& text) {", "Read"),
]
DIFFERENT = [
    ("int Sum(int a);", "int Sum(float a);"),
    ("using Clock = std::chrono::steady_clock;", "using Clock = std::chrono::steady_clock;"),
    ("  constexpr int kLocal = 1;", "  constexpr int kLocal = 2;"),
    ("struct Declared;", "struct Declared;"),
]
CLASHES = [
    ("using Clock = A;", "using Clock = B;"),
    ("template <typename T>\nint Size(const T& of) {", "int Size(const Part& of) {"),
    ("struct Part {", "int Part(int a) {"),
]

# In a named namespace, in two headers: what stands twice, and what may.
GIVEN_TWICE = [
    ("struct Part {\n  int size;\n};", "struct Part {\n  float size;\n};"),
    ("class EXPORTED Part final : Whole {", "enum class Part { kOne };"),
    ("inline bool Has(int a) { return a > 0; }", "inline bool Has(int b) { return b > 1; }"),
    ("template <typename T>\nT Sum(T a) {", "template <typename T>\nT Sum(T b) {"),
]
GIVEN_ONCE = [
    ("struct Part {", "struct Part;"),
    ("struct Part {", "struct Part::State {"),
    ("inline int Sum(int a) {", "inline int Sum(float a) {"),
    ("struct Part {", "namespace {\n\nstruct Part {\n\n}  // namespace"),
]


def check(script, a, b, targets=ONE_TARGET):
    inside = "namespace x {{\nnamespace {{\n\n{}\n\n}}  // namespace\n}}  // namespace x\n"
    return check_files(script, targets | {"a.cpp": inside.format(a), "b.cpp": inside.format(b)})


def check_headers(script, a, b):
    inside = "namespace x::y {{\n\n{}\n\n}}  // namespace x::y\n"
    return check_files(script, {"a.hpp": inside.format(a), "b.hpp": inside.format(b)})


def check_files(script, files):
    return run_on({"CMakeLists.txt": "", **files}, script, "build")


def main():
    script = sys.argv[1]
    for line, name in TWICE:
        result = check(script, line, line)
        expected = f"x: {name} stands in a.cpp, b.cpp: expected one definition, or two names\n"
        assert (result.returncode, result.stdout) == (1, expected), (line, result)
        assert check(script, line, line, TWO_TARGETS).returncode == 0, line
    for a, b in DIFFERENT:
        assert check(script, a, b).returncode == 0, (a, b)
    for a, b in CLASHES:
        assert check(script, a, b).returncode == 1, (a, b)
    for a, b in GIVEN_TWICE:
        result = check_headers(script, a, b)
        assert (result.returncode, " stands in a.hpp, b.hpp: expected" in result.stdout) == (1, True), (a, b, result)
    for a, b in GIVEN_ONCE:
        assert check_headers(script, a, b).returncode == 0, (a, b)
    print(f"{len(TWICE) + len(CLASHES) + len(GIVEN_TWICE)} names that stand twice found")


if __name__ == "__main__":
    main()
