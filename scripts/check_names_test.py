#!/usr/bin/env python3
"""check_names.py finds each kind of name that stands twice, and only that. usage: check_names_test.py CHECK_NAMES"""

import sys

from tree_for_test import run_on

ONE_TARGET = "zerocts_add_room(x\n  SOURCES\n    a.cpp\n    b.cpp\n  DEPENDS y)\n"
TWO_TARGETS = "zerocts_add_room(x\n  SOURCES\n    a.cpp)\nzerocts_add_room(y\n  SOURCES\n    b.cpp)\n"
SEPARATE = "zerocts_add_room(x SEPARATE\n  SOURCES\n    a.cpp\n    b.cpp)\n"
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


def check(script, a, b, cmake=ONE_TARGET):
    inside = "namespace x {{\nnamespace {{\n\n{}\n\n}}  // namespace\n}}  // namespace x\n"
    return run_on({"CMakeLists.txt": cmake, "a.cpp": inside.format(a), "b.cpp": inside.format(b)}, script)


def check_headers(script, a, b):
    cmake, inside = "zerocts_add_room(x\n  SOURCES\n    a.cpp)\n", "namespace x::y {{\n\n{}\n\n}}  // namespace x::y\n"
    return run_on({"CMakeLists.txt": cmake, "a.cpp": "", "a.hpp": inside.format(a), "b.hpp": inside.format(b)}, script)


def main():
    script = sys.argv[1]
    for line, name in TWICE:
        result = check(script, line, line)
        expected = f".: x: {name} stands in a.cpp, b.cpp: expected one definition, or two names\n"
        assert (result.returncode, result.stdout) == (1, expected), (line, result)
        for apart in (TWO_TARGETS, SEPARATE):
            assert check(script, line, line, apart).returncode == 0, (line, apart)
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
