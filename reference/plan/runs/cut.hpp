// The rules whose parts are ranges, as arithmetic: part s is units [begin(s), begin(s + 1)). A unit is an element, or a
// row of one dimension.
#pragma once
#include <algorithm>
#include <cstdint>

#include "reference/plan/runs/flat_range.hpp"
#include "reference/plan/value/optimizer_shard.hpp"

namespace zerocts::plan {

struct Cut {
  int64_t units = 0;             // of the whole flat range
  int64_t inner = 1, outer = 1;  // a unit is `outer` runs of `inner` elements, `units * inner` apart
  int64_t parts = 1;
  int64_t part = 0;  // units of a part; 0: even

  int64_t begin(int64_t s) const { return part > 0 ? std::min(s * part, units) : EvenBegin(units, parts, s); }
  int64_t unit_numel() const { return outer * inner; }
};

/// `rule` is Even, Ceil or Rows. Rows beyond the tensor's dimensions divide it as one row.
Cut CutOf(const Model& model, const FlatRange& flat_range, const Rule& rule, int64_t parts);

/// Is it one of these three?
bool IsCut(const Rule& rule);

}  // namespace zerocts::plan
