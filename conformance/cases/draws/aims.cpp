#include "conformance/cases/draws/aims.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conformance/cases/capabilities/choices.hpp"

namespace zerocts {

std::string TextOf(const Aims& aims) {
  std::vector<std::string> options;
  for (const Aim& aim : aims) options.push_back(fmt::format("--{} {}", aim.option, fmt::join(aim.words, ",")));
  return fmt::format("{}", fmt::join(options, " "));
}

const FilePlan* FileOf(const Aims& aims) {
  const auto aim = std::ranges::find_if(aims, [](const Aim& candidate) { return candidate.file != nullptr; });
  return aim == aims.end() ? nullptr : aim->file.get();
}

bool Allows(const Aims& aims, const std::string& dimension, const std::string& value) {
  return AllHolds(aims, [&](const Hold& hold) { return hold.dimension != dimension || Contains(hold.values, value); });
}

}  // namespace zerocts
