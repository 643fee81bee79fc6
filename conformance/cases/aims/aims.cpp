#include "conformance/cases/aims/aims.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "conformance/cases/aims/choices.hpp"
#include "conformance/cases/case/plan_file.hpp"
#include "conformance/cases/dimensions/dimension.hpp"

namespace zerocts {
namespace {

template <typename Holds>
bool AllHolds(const Aims& aims, Holds holds) {
  return std::ranges::all_of(aims, [&](const Aim& aim) { return std::ranges::all_of(aim.holds, holds); });
}

}  // namespace

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

bool Allows(const Aims& aims, const Dimension& dimension, const Case& c) {
  return AllHolds(aims, [&](const Hold& hold) {
    return hold.dimension != dimension.name || Contains(hold.values, dimension.values.of(c));
  });
}

bool IsAimedAt(const Case& c, const Aims& aims) {
  const FilePlan* file = FileOf(aims);
  return (!file || Fits(c, *file)) && AllHolds(aims, [&](const Hold& hold) {
           return Contains(hold.values, FindDimension(hold.dimension).values.of(c));
         });
}

Capabilities Narrowed(Capabilities capabilities, const Aims& aims) {
  for (const Aim& aim : aims) {
    for (const Hold& hold : aim.holds) FindDimension(hold.dimension).values.keep(capabilities, hold.values);
  }
  return capabilities;
}

}  // namespace zerocts
