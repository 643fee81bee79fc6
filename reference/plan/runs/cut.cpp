#include "reference/plan/runs/cut.hpp"

#include "reference/plan/value/checked_int64.hpp"

namespace zerocts::plan {
namespace {

/// A part of 0 units would mean "even": a flat range without units has parts of one unit, all padding.
int64_t PartOr(int64_t given, int64_t units, int64_t parts) {
  return given > 0 ? given : std::max<int64_t>(CeilDivided(units, parts), 1);
}

Cut CutInRows(const Tensor& tensor, const Rows& rows, int64_t parts) {
  Cut cut{.units = 1, .parts = parts};
  for (int d = 0; d < std::ssize(tensor.shape); ++d) {
    int64_t& size = d < rows.dimension ? cut.outer : d == rows.dimension ? cut.units : cut.inner;
    size *= tensor.shape[d];
  }
  if (rows.dimension >= std::ssize(tensor.shape)) cut.inner = cut.outer, cut.outer = 1;
  cut.part = PartOr(rows.part, cut.units, parts);
  return cut;
}

}  // namespace

Cut CutOf(const Model& model, const FlatRange& flat_range, const Rule& rule, int64_t parts) {
  if (const auto* rows = std::get_if<Rows>(&rule)) return CutInRows(model[flat_range.tensors.front()], *rows, parts);
  Cut cut{.units = flat_range.length, .parts = parts};
  if (const auto* ceil = std::get_if<Ceil>(&rule)) cut.part = PartOr(ceil->part, cut.units, parts);
  return cut;
}

bool IsCut(const Rule& rule) {
  return std::holds_alternative<Even>(rule) || std::holds_alternative<Ceil>(rule) || std::holds_alternative<Rows>(rule);
}

}  // namespace zerocts::plan
