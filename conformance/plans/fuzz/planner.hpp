// What answers planning requests: a process, a plugin inside of one, or a function of ours.
#pragma once
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

namespace zerocts {

/// It crashed, ended or hung. `hung`: it did not answer within its deadline.
struct PlannerEnded : std::runtime_error {
  PlannerEnded(const std::string& what, bool hung) : std::runtime_error(what), hung(hung) {}
  bool hung;
};

/// It answered something that is no line of an answer: too long, or more than one line.
struct NoAnswer : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Planner {
 public:
  virtual ~Planner() = default;
  /// The line that answers `request`. Throws PlannerEnded or NoAnswer; either ends the process, the next question
  /// starts another.
  virtual std::string Answer(const std::string& request) = 0;
};

/// Makes another planner of the same kind, in a process of its own where it has one: `which` is 0, 1, .. and seeds
/// Python's hashes.
using MakePlanner = std::function<std::unique_ptr<Planner>(int which)>;

/// A function of ours as a planner.
std::unique_ptr<Planner> PlannerOf(std::function<std::string(const std::string& request)> answer);

}  // namespace zerocts
