#include "reference/model/slice_order.hpp"

#include "reference/optim/enum_names.hpp"

namespace zerocts {
namespace {

constexpr EnumName<Rounding> kRoundings[] = {{Rounding::kFp32, "fp32"}, {Rounding::kBf16, "bf16"}};

void Append(const Stretch& stretch, Slice& slice) {
  if (stretch.numel() == 0) return;
  if (!slice.empty() && slice.back().end == stretch.begin) {
    slice.back().end = stretch.end;
  } else {
    slice.push_back(stretch);
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

std::vector<Slice> SlicesOf(int64_t numel, int64_t parts, int64_t slices) {
  const int64_t m = numel / parts;
  std::vector<Slice> all;
  for (int64_t s = 0; s < slices; ++s) {
    Slice slice;
    for (int64_t part = 0; part < parts; ++part) {
      Append({part * m + m * s / slices, part * m + m * (s + 1) / slices}, slice);
    }
    if (!slice.empty()) all.push_back(std::move(slice));
  }
  if (all.empty()) all.push_back({{0, 0}});
  return all;
}

}  // namespace zerocts
