#include "conformance/watch/state_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "reference/numerics/bits.hpp"

namespace zerocts::watch {
namespace {

constexpr std::array kMoments = {"its first moment", "its second moment"};

/// Tensors that belong to no model have no names of their own.
std::set<std::string> NamesOfSeveral(const UpdateRecord& r) {
  std::set<std::string> names, several;
  for (const UpdateRecord::Part& part : r.parts) {
    if (!names.insert(part.name).second) several.insert(part.name);
  }
  return several;
}

}  // namespace

void StateSamples::Keep(const UpdateRecord& after) {
  const std::set<std::string> several = NamesOfSeveral(after);
  for (const UpdateRecord::Part& part : after.parts) {
    if (several.contains(part.name)) continue;
    parts_[part.name] = {.steps = part.steps > 0 ? part.steps + 1 : 0,
                         .at = part.at,
                         .copy = after.copies ? part.new_parameter : std::vector<float>(),
                         .moments = part.new_moments};
  }
}

int64_t StateSamples::Compare(const UpdateRecord& before,
                              const std::function<void(const std::string&, const std::string&)>& differs) const {
  int64_t compared = 0;
  for (const UpdateRecord::Part& part : before.parts) {
    const auto found = parts_.find(part.name);
    if (found == parts_.end()) continue;
    const Part& left = found->second;
    std::string text;
    const auto compare = [&](const char* what, const std::vector<float>& was, const std::vector<float>& is) {
      for (size_t i = 0; i < part.at.size(); ++i) {
        const auto place = std::ranges::lower_bound(left.at, part.at[i]);
        if (place == left.at.end() || *place != part.at[i]) continue;
        ++compared;
        const float old = was[static_cast<size_t>(place - left.at.begin())];
        if (text.empty() && Bits(is[i]) != Bits(old))
          text = fmt::format("element {} of {} was {} after the step before, and is {}", part.at[i], what, old, is[i]);
      }
    };
    if (left.steps > 0) {
      ++compared;
      if (left.steps != part.steps)
        text = fmt::format("its state counted {} steps after the step before, and counts {}", left.steps, part.steps);
    }
    for (size_t m = 0; m < std::min(left.moments.size(), part.moments.size()); ++m)
      compare(kMoments.at(m), left.moments[m], part.moments[m]);
    if (before.copies && !left.copy.empty()) compare("it", left.copy, part.parameter);
    if (!text.empty()) differs(part.name, text);
  }
  return compared;
}

}  // namespace zerocts::watch
