#include "conformance/watch/state_samples.hpp"

#include <fmt/format.h>

#include <array>
#include <set>
#include <vector>

#include "reference/numerics/bits.hpp"

namespace zerocts::watch {
namespace {

constexpr std::array kMoments = {"its first moment", "its second moment"};

/// What is kept of a part: a name, and its elements. Of a copy the parameter too, as only the optimizer holds it.
using Named = std::vector<std::pair<std::string, const std::vector<float>*>>;
Named NamedElements(const UpdateRecord& r, const std::vector<float>& parameter,
                    const std::vector<std::vector<float>>& moments) {
  Named named;
  for (size_t m = 0; m < moments.size(); ++m) named.emplace_back(kMoments.at(m), &moments[m]);
  if (r.copies) named.emplace_back("it", &parameter);
  return named;
}

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
    if (part.steps > 0) counts_[part.name] = part.steps + 1;
    for (const auto& [what, elements] : NamedElements(after, part.new_parameter, part.new_moments)) {
      for (size_t i = 0; i < part.at.size(); ++i) elements_[{part.name, what, part.at[i]}] = (*elements)[i];
    }
  }
}

int64_t StateSamples::Compare(const UpdateRecord& before,
                              const std::function<void(const std::string&, const std::string&)>& differs) const {
  int64_t compared = 0;
  for (const UpdateRecord::Part& part : before.parts) {
    std::string text;
    if (const auto count = counts_.find(part.name); count != counts_.end()) {
      ++compared;
      if (count->second != part.steps)
        text =
            fmt::format("its state counted {} steps after the step before, and counts {}", count->second, part.steps);
    }
    for (const auto& [what, elements] : NamedElements(before, part.parameter, part.moments)) {
      for (size_t i = 0; i < part.at.size(); ++i) {
        const auto left = elements_.find({part.name, what, part.at[i]});
        if (left == elements_.end()) continue;
        ++compared;
        if (text.empty() && Bits((*elements)[i]) != Bits(left->second))
          text = fmt::format("element {} of {} was {} after the step before, and is {}", part.at[i], what, left->second,
                             (*elements)[i]);
      }
    }
    if (!text.empty()) differs(part.name, text);
  }
  return compared;
}

}  // namespace zerocts::watch
