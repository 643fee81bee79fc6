// What answers planning requests: a process, a plugin inside of one, or a function of ours.
#pragma once
#include <chrono>
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

/// One of our own (reference/plan/ours/our_plans.hpp); `name` is among PlannerNames().
std::unique_ptr<Planner> NativePlanner(const std::string& name);

/// One of PlannersByName(), plugin:PATH, or a command for the shell. `errors`: file for what processes write to
/// standard error. Throws UsageError for a plugin that is no file, and for a framework that this machine cannot have.
MakePlanner PlannerNamed(const std::string& word, std::chrono::milliseconds deadline, const std::string& errors);

/// Could the shell or the plugin's process not even start what `word` names? Then `ended` says so.
bool CannotStart(const std::string& word, const std::string& ended);

}  // namespace zerocts
