// A checkpoint on disk as a plan, who owns what in it, and what is said of it: for people, for programs.
#pragma once
#include <string>
#include <vector>

#include "reference/plan/judge/judge.hpp"
#include "reference/plan/value/plan.hpp"

namespace zerocts::read {

struct Reading {
  std::string format;  // "torch DCP, 3 files, 24 tensors"
  plan::Plan plan;
  std::vector<std::string> faults;  // what is wrong beside the plan: a file that is missing, cut off, of another save
  std::vector<std::string> untold;  // what no file of this format says
};

/// Reads a folder, or one of the files by which a format is known. Throws UsageError with the path, HarnessError when
/// Python lacks a package that the format needs.
Reading ReadCheckpoint(const std::string& path);

/// A checkpoint of our engine by its folder or its file `latest`. Throws std::invalid_argument for what cannot be read;
/// what can be read and is wrong is a fault or breaks a property of the plan.
bool IsZerocts(const std::string& path);
Reading ReadZerocts(const std::string& path);

std::string ReadingText(const Reading& reading, const plan::Verdict& verdict);
std::string ReadingJson(const Reading& reading, const plan::Verdict& verdict);
inline bool IsSound(const Reading& reading, const plan::Verdict& verdict) {
  return verdict.sound() && reading.faults.empty();
}

}  // namespace zerocts::read
