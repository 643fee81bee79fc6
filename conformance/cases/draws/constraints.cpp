#include "conformance/cases/draws/constraints.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conformance/cases/capabilities/choices.hpp"

namespace zerocts {

std::string TextOf(const Constraints& constraints) {
  std::vector<std::string> options;
  for (const Constraint& constraint : constraints)
    options.push_back(fmt::format("--{} {}", constraint.option, fmt::join(constraint.words, ",")));
  return fmt::format("{}", fmt::join(options, " "));
}

const FilePlan* FileOf(const Constraints& constraints) {
  const auto constraint =
      std::ranges::find_if(constraints, [](const Constraint& candidate) { return candidate.file != nullptr; });
  return constraint == constraints.end() ? nullptr : constraint->file.get();
}

bool HaveGivenParameters(const Constraints& constraints) {
  return std::ranges::any_of(constraints,
                             [](const Constraint& constraint) { return constraint.file || constraint.shapes; });
}

bool Allows(const Constraints& constraints, const std::string& dimension, const std::string& value) {
  return AllHolds(constraints,
                  [&](const Hold& hold) { return hold.dimension != dimension || Contains(hold.values, value); });
}

}  // namespace zerocts
