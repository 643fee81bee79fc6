#include "conformance/cases/drawing/value_pairs.hpp"

#include <algorithm>

#include "conformance/cases/drawing/draw_case.hpp"

namespace zerocts {

PairTable::PairTable(const CaseSpace& space, const RunTerms& terms) {
  for (const Dimension& dimension : Dimensions()) {
    const bool is_varied = dimension.values.of && (!dimension.drawn.on_request || space.varies(dimension.name));
    if (!is_varied) continue;
    std::vector<std::string> names = dimension.values.available(terms);
    if (names.size() < 2) continue;
    const uint32_t first = names_;
    names_ += static_cast<uint32_t>(names.size());
    varied_.push_back({&dimension, std::move(names), first});
  }
}

void PairTable::Add(const Case& c, ValuePairs& pairs) const {
  std::vector<uint32_t> values;
  for (const Varied& varied : varied_) {
    const auto name = std::ranges::find(varied.names, varied.dimension->values.of(c));
    if (name != varied.names.end()) values.push_back(varied.first + static_cast<uint32_t>(name - varied.names.begin()));
  }
  for (size_t second = 1; second < values.size(); ++second) {
    for (size_t first = 0; first < second; ++first) pairs.insert(values[first] * names_ + values[second]);
  }
}

ValuePairs PairsOfDraws(const PairTable& table, const CaseSpace& space, const CaseConditions& conditions,
                        const Capabilities& can, uint64_t seed, int cases) {
  Draws draws(seed);
  ValuePairs pairs;
  for (int i = 0; i < cases; ++i) {
    const auto size = static_cast<int>(draws.Between(0, conditions.largest_size));
    if (const auto c = DrawFittingCase(space, conditions, can, size, draws)) table.Add(*c, pairs);
  }
  return pairs;
}

}  // namespace zerocts
