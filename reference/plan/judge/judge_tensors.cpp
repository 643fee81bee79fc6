// Which tensors are divided at all, and where those of a flat buffer stand.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "reference/plan/judge/judge_parts.hpp"

namespace zerocts::plan {
namespace {

bool NeedsAny(const Tensor& tensor, std::span<const State> states) {
  return std::any_of(states.begin(), states.end(), [&](State state) { return Needs(tensor, state); });
}

void JudgeRange(const Judged& judged, const TensorRange& range, std::vector<uint8_t>& divisions, Findings& findings) {
  const auto tensors = static_cast<int32_t>(judged.plan.model.size());
  if (range.end > tensors) {
    findings.Add(Property::kExtents, Findings::kNoTensor, 0, {}, [&] {
      return fmt::format("a division has tensors [{}, {}): expected some of the {} tensors", range.first, range.end,
                         tensors);
    });
  }
  for (int32_t t = range.first; t < std::min(range.end, tensors); ++t) {
    if (divisions[t] < 2) ++divisions[t];
  }
}

std::vector<size_t> ByOffset(const FlatRange& flat_range) {
  std::vector<size_t> order(flat_range.tensors.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::pair(flat_range.offset[a], flat_range.numel[a]) < std::pair(flat_range.offset[b], flat_range.numel[b]);
  });
  return order;
}

bool JudgeDistance(const Judged& judged, const FlatRange& flat_range, Findings& findings) {
  if (flat_range.ascending()) return true;
  const std::vector<size_t> order = ByOffset(flat_range);
  bool apart = true;
  for (size_t i = 1; i < order.size(); ++i) {
    const size_t last = order[i - 1], next = order[i];
    if (flat_range.offset[next] >= flat_range.offset[last] + flat_range.numel[last]) continue;
    apart = false;
    findings.Add(Property::kInvertibility, flat_range.tensors[next], 0, {}, [&] {
      return fmt::format("it begins at {} of the flat buffer, where {} still is", flat_range.offset[next],
                         judged.plan.model[flat_range.tensors[last]].name);
    });
  }
  if (apart) {
    findings.Add(Property::kExtents, flat_range.tensors.front(), 0, {},
                 [] { return "the offsets of a flat buffer do not ascend: list its tensors as they stand in it"; });
  }
  return false;
}

}  // namespace

void JudgeTensors(const Judged& judged, std::span<const State> states, Findings& findings) {
  const Model& model = judged.plan.model;
  std::vector<uint8_t> divisions(model.size(), 0);
  for (const Division& division : judged.sharding.divisions) {
    for (const TensorRange& range : division.tensors) JudgeRange(judged, range, divisions, findings);
  }
  for (int32_t t = 0; t < std::ssize(model); ++t) {
    if (model[t].tied_to >= 0 && divisions[t] > 0) {
      findings.Add(Property::kDisjointness, t, 0, {}, [&] {
        return fmt::format("it is another name of {}, whose elements are divided already: leave it out",
                           model[model[t].tied_to].name);
      });
    } else if (divisions[t] > 1) {
      findings.Add(Property::kDisjointness, t, 0, {}, [] { return "it is in two divisions: expected one"; });
    } else if (divisions[t] == 0 && NeedsAny(model[t], states) && model[t].numel() > 0) {
      findings.Add(Property::kCoverage, t, 0, {}, [] { return "no division has this parameter: nobody holds it"; });
    }
  }
}

bool JudgeOffsets(const Judged& judged, const FlatRange& flat_range, Findings& findings) {
  const int64_t alignment = judged.plan.alignment;
  for (size_t i = 0; i < flat_range.tensors.size(); ++i) {
    const int64_t begin = flat_range.offset[i], end = begin + flat_range.numel[i];
    if (end > flat_range.length) {
      findings.Add(Property::kCoverage, flat_range.tensors[i], std::max<int64_t>(flat_range.length - begin, 0), {},
                   [&] {
                     return fmt::format("it ends at {} of a flat buffer of {}: nobody holds what is beyond", end,
                                        flat_range.length);
                   });
    }
    if (begin % alignment != 0) {
      findings.Add(Property::kAlignment, flat_range.tensors[i], 0, {}, [&] {
        return fmt::format("it begins at {} of the flat buffer: expected a multiple of {}", begin, alignment);
      });
    }
  }
  return JudgeDistance(judged, flat_range, findings);
}

bool FirstElementIn(const FlatRange& flat_range, int64_t begin, int64_t end, size_t& index, int64_t& position) {
  for (index = flat_range.FirstBehind(begin); index < flat_range.tensors.size() && flat_range.offset[index] < end;
       ++index) {
    if (flat_range.numel[index] == 0) continue;
    position = std::max(begin, flat_range.offset[index]);
    return true;
  }
  return false;
}

}  // namespace zerocts::plan
