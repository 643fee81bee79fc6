// What a run is held to: `--offload full` draws only cases with full offload.
#pragma once
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace zerocts {

struct FilePlan;
struct ModelShapes;

/// Every case has one of these values of a dimension.
struct Hold {
  std::string dimension;            // "offload"
  std::vector<std::string> values;  // {"full"}; none: no case has what was asked
};

/// One option of a run, as it was given, and what it means.
struct Constraint {
  std::string option;              // "strategy"
  std::vector<std::string> words;  // {"FullShard"}
  std::vector<Hold> holds;
  std::shared_ptr<const FilePlan> file = nullptr;  // of --plan file:PATH: every case has its ranks and its parameters
  std::shared_ptr<const ModelShapes> shapes = nullptr;  // of --shapes: every case has its parameters
};
using Constraints = std::vector<Constraint>;

/// "--stage 1,2 --offload full".
std::string TextOf(const Constraints& constraints);

/// The plan file that all cases go through; nullptr: there is none.
const FilePlan* FileOf(const Constraints& constraints);

/// Have all cases the parameters of a plan file or of a model?
bool HaveGivenParameters(const Constraints& constraints);

/// Is `holds` true of every Hold?
template <typename Holds>
bool AllHolds(const Constraints& constraints, Holds holds) {
  return std::ranges::all_of(
      constraints, [&](const Constraint& constraint) { return std::ranges::all_of(constraint.holds, holds); });
}

/// May a case have this value of the dimension?
bool Allows(const Constraints& constraints, const std::string& dimension, const std::string& value);

/// "a run without --offload full": without each constraint that `excludes` what is looked for; without all of them
/// where only several together do.
template <typename Excludes>
std::string RunWithout(const Constraints& constraints, Excludes excludes) {
  Constraints alone = constraints;
  std::erase_if(alone, [&](const Constraint& constraint) { return !excludes(Constraints{constraint}); });
  return "a run without " + TextOf(alone.empty() ? constraints : alone);
}

}  // namespace zerocts
