#include "reference/model/slice_order.hpp"

#include <algorithm>
#include <numeric>

#include "reference/optim/enum_names.hpp"

namespace zerocts {
namespace {

constexpr EnumName<Rounding> kRoundings[] = {{Rounding::kFp32, "fp32"}, {Rounding::kBf16, "bf16"}};
constexpr EnumName<PartSizes> kPartSizes[] = {{PartSizes::kEven, "even"}, {PartSizes::kCeil, "ceil"}};

void Append(const IndexRange& range, Slice& slice) {
  if (range.numel() == 0) return;
  if (!slice.empty() && slice.back().end == range.begin) {
    slice.back().end = range.end;
  } else {
    slice.push_back(range);
  }
}

}  // namespace

std::string ToString(const SliceOrder& order) {
  std::string name = "slices(" + std::to_string(order.slices) + ")";
  if (order.rounding != Rounding::kFp32) name.append("~").append(ToString(order.rounding));
  return name;
}

std::string ToString(Rounding rounding) { return NameOf(kRoundings, rounding); }
Rounding SliceRoundingFromString(const std::string& name) { return FromName(kRoundings, "slice_rounding", name); }

std::string ToString(PartSizes sizes) { return NameOf(kPartSizes, sizes); }
PartSizes PartSizesFromString(const std::string& name) { return FromName(kPartSizes, "tensor_parts", name); }

IndexRange PartOfElements(int64_t m, int64_t index, int64_t count, PartSizes sizes) {
  if (sizes == PartSizes::kEven) return {m * index / count, m * (index + 1) / count};
  const int64_t size = (m + count - 1) / count;
  return {std::min(m, size * index), std::min(m, size * (index + 1))};
}

std::vector<IndexRange> CutParts::Of(int64_t m) const {
  const int64_t unit = m / std::accumulate(widths.begin(), widths.end(), int64_t{0});
  std::vector<IndexRange> parts;
  int64_t begin = 0;
  for (const int64_t width : widths) {
    parts.push_back({begin, begin + width * unit});
    begin = parts.back().end;
  }
  return parts;
}

std::vector<Slice> SlicesOf(int64_t numel, const CutParts& parts, int64_t slices) {
  const std::vector<IndexRange> side_by_side = parts.Of(numel);
  std::vector<Slice> all;
  for (int64_t s = 0; s < slices; ++s) {
    Slice slice;
    for (const IndexRange& part : side_by_side) {
      const auto [begin, end] = PartOfElements(part.numel(), s, slices);
      Append({part.begin + begin, part.begin + end}, slice);
    }
    if (!slice.empty()) all.push_back(std::move(slice));
  }
  if (all.empty()) all.push_back({{0, 0}});
  return all;
}

}  // namespace zerocts
