// A Python file of the adapters that answers a question and ends.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace zerocts {

/// Where the Python files are.
std::filesystem::path AdaptersFolder();

/// Programs that this process starts from now on can import zerocts_rank: the folder becomes the last of PYTHONPATH.
void OfferAdaptersToPython();

struct PythonAnswer {
  bool found = false;
  std::string text;  // or the reason: one sentence
};

/// Runs it with `input` as its standard input; its waits have deadlines of their own, and what it says on standard
/// error is seen by the user. Throws UsageError when there is no such Python, HarnessError when it ends without an
/// answer, or says with exit code 3 what the machine lacks.
PythonAnswer AskPython(const std::string& python, const std::string& file, const std::vector<std::string>& arguments,
                       const std::string& input = "");

}  // namespace zerocts
