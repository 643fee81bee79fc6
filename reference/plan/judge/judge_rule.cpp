// Rules in closed form: they are sound by their arithmetic unless they have other parts than the group has shards, or
// parts that are too small.
#include <fmt/format.h>

#include <algorithm>

#include "reference/plan/judge/judge_parts.hpp"
#include "reference/plan/runs/cut.hpp"
#include "reference/plan/runs/runs.hpp"

namespace zerocts::plan {
namespace {

/// Elements of the flat range from `begin` on belong to parts that no shard has, or to no part.
void AddLostTail(const FlatRange& flat_range, int64_t begin, Findings& findings) {
  size_t index = 0;
  int64_t position = 0;
  if (!FirstElementIn(flat_range, begin, flat_range.length, index, position)) return;
  const int64_t element = position - flat_range.offset[index];
  findings.Add(Property::kCoverage, flat_range.tensors[index], element, {}, [&] {
    return fmt::format("nobody holds it: parts end at {} of {} elements", begin, flat_range.length);
  });
}

void JudgeParts(const Judged& judged, const FlatRange& flat_range, int64_t parts, Findings& findings) {
  const int shards = judged.group.shards();
  if (parts == shards) return;
  findings.Add(Property::kGroupRelative, flat_range.tensors.front(), 0, {}, [&] {
    return fmt::format("it falls into {} parts: expected {}, one per shard of its group", parts, shards);
  });
}

void AddUnaligned(const Judged& judged, const FlatRange& flat_range, int64_t begin, int64_t part, Findings& findings) {
  size_t index = 0;
  int64_t position = 0;
  if (begin % judged.plan.alignment == 0 || !FirstElementIn(flat_range, begin, flat_range.length, index, position))
    return;
  const int rank = part < judged.group.shards() ? judged.group.FirstRankOf(static_cast<int>(part)) : -1;
  findings.Add(Property::kAlignment, flat_range.tensors[index], position - flat_range.offset[index],
               rank < 0 ? std::vector<int>{} : std::vector<int>{rank}, [&] {
                 return fmt::format("the part begins at {}: expected a multiple of {}", begin, judged.plan.alignment);
               });
}

/// Part 1 and the first smaller part tell of all parts: in between and behind, sizes repeat.
void JudgeAlignmentOfParts(const Judged& judged, const FlatRange& flat_range, const Cut& cut, Findings& findings) {
  if (judged.plan.alignment == 1) return;
  for (const int64_t part : {int64_t{1}, cut.units % cut.parts + 1}) {
    const int64_t before = findings.Count(Property::kAlignment);
    if (part < cut.parts && cut.begin(part) < cut.units)
      AddUnaligned(judged, flat_range, cut.begin(part) * cut.inner, part, findings);
    if (findings.Count(Property::kAlignment) > before) return;
  }
}

void JudgeCut(const Judged& judged, const FlatRange& flat_range, const Cut& cut, Findings& findings) {
  const int64_t held = cut.begin(std::min<int64_t>(cut.parts, judged.group.shards()));
  if (held < cut.units) AddLostTail(flat_range, held * cut.inner, findings);
  JudgeAlignmentOfParts(judged, flat_range, cut, findings);
}

void JudgeOwner(const Judged& judged, const FlatRange& flat_range, const Owners& rule, Findings& findings) {
  const int32_t tensor = flat_range.tensors.front();
  if (flat_range.first >= rule.owners.size()) {
    if (flat_range.length > 0)
      findings.Add(Property::kCoverage, tensor, 0, {}, [] { return "it has no owner: expected one per tensor"; });
    return;
  }
  const int owner = rule.owners[flat_range.first];
  if (owner >= 0 && owner < judged.group.shards()) return;
  findings.Add(Property::kExtents, tensor, 0, {owner}, [&] {
    return fmt::format("its owner is {}: expected one of the {} shards", owner, judged.group.shards());
  });
}

void JudgeBlocks(const Judged& judged, const FlatRange& flat_range, int64_t block, int64_t parts, Findings& findings) {
  const int64_t shards = judged.group.shards();
  if (parts > shards && shards <= (flat_range.length - 1) / block) AddLostTail(flat_range, shards * block, findings);
  if (block < flat_range.length) AddUnaligned(judged, flat_range, block, 1, findings);
}

}  // namespace

void JudgeRule(const Judged& judged, const Division& division, const FlatRange& flat_range, Findings& findings) {
  if (flat_range.tensors.empty()) return;
  if (const auto* owners = std::get_if<Owners>(&division.rule))
    return JudgeOwner(judged, flat_range, *owners, findings);
  const int64_t parts = PartsOf(division, judged.group);
  JudgeParts(judged, flat_range, parts, findings);
  if (const auto* blocks = std::get_if<BlockCyclic>(&division.rule))
    return JudgeBlocks(judged, flat_range, blocks->block, parts, findings);
  JudgeCut(judged, flat_range, CutOf(judged.plan.model, flat_range, division.rule, parts), findings);
}

}  // namespace zerocts::plan
