// What is said of a checkpoint: for people, for programs.
#pragma once
#include <string>

#include "conformance/plans/reading.hpp"
#include "reference/plan/judge/judge.hpp"

namespace zerocts::read {

std::string ReadingText(const Reading& reading, const plan::Verdict& verdict);
std::string ReadingJson(const Reading& reading, const plan::Verdict& verdict);
inline bool IsSound(const Reading& reading, const plan::Verdict& verdict) {
  return verdict.sound() && reading.faults.empty();
}

}  // namespace zerocts::read
