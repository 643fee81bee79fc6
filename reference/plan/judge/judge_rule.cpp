// Rules in closed form: they are sound by their arithmetic unless they have other parts than the group has shards, or
// parts that are too small.
#include <fmt/format.h>

#include <algorithm>

#include "reference/plan/judge/judge_parts.hpp"
#include "reference/plan/runs/cut.hpp"
#include "reference/plan/runs/runs.hpp"

namespace zerocts::plan {
namespace {

/// Elements of the stretch from `begin` on belong to parts that no shard has, or to no part.
void AddLostTail(const Stretch& stretch, int64_t begin, Findings& findings) {
  size_t index = 0;
  int64_t position = 0;
  if (!FirstElementIn(stretch, begin, stretch.length, index, position)) return;
  const int64_t element = position - stretch.offset[index];
  findings.Add(Property::kCoverage, stretch.tensors[index], element, {},
               [&] { return fmt::format("nobody holds it: parts end at {} of {} elements", begin, stretch.length); });
}

void JudgeParts(const Judged& judged, const Stretch& stretch, int64_t parts, Findings& findings) {
  const int shards = judged.group.shards();
  if (parts == shards) return;
  findings.Add(Property::kGroupRelative, stretch.tensors.front(), 0, {}, [&] {
    return fmt::format("it falls into {} parts: expected {}, one per shard of its group", parts, shards);
  });
}

void AddUnaligned(const Judged& judged, const Stretch& stretch, int64_t begin, int64_t part, Findings& findings) {
  size_t index = 0;
  int64_t position = 0;
  if (begin % judged.plan.alignment == 0 || !FirstElementIn(stretch, begin, stretch.length, index, position)) return;
  const int rank = part < judged.group.shards() ? judged.group.FirstRankOf(static_cast<int>(part)) : -1;
  findings.Add(Property::kAlignment, stretch.tensors[index], position - stretch.offset[index],
               rank < 0 ? std::vector<int>{} : std::vector<int>{rank}, [&] {
                 return fmt::format("the part begins at {}: expected a multiple of {}", begin, judged.plan.alignment);
               });
}

/// Part 1 and the first smaller part tell of all parts: in between and behind, sizes repeat.
void JudgeAlignmentOfParts(const Judged& judged, const Stretch& stretch, const Cut& cut, Findings& findings) {
  if (judged.plan.alignment == 1) return;
  for (const int64_t part : {int64_t{1}, cut.units % cut.parts + 1}) {
    const int64_t before = findings.Count(Property::kAlignment);
    if (part < cut.parts && cut.begin(part) < cut.units)
      AddUnaligned(judged, stretch, cut.begin(part) * cut.inner, part, findings);
    if (findings.Count(Property::kAlignment) > before) return;
  }
}

void JudgeCut(const Judged& judged, const Stretch& stretch, const Cut& cut, Findings& findings) {
  const int64_t held = cut.begin(std::min<int64_t>(cut.parts, judged.group.shards()));
  if (held < cut.units) AddLostTail(stretch, held * cut.inner, findings);
  JudgeAlignmentOfParts(judged, stretch, cut, findings);
}

void JudgeOwner(const Judged& judged, const Stretch& stretch, const Owners& rule, Findings& findings) {
  const int32_t tensor = stretch.tensors.front();
  if (stretch.first >= rule.owners.size()) {
    if (stretch.length > 0)
      findings.Add(Property::kCoverage, tensor, 0, {}, [] { return "it has no owner: expected one per tensor"; });
    return;
  }
  const int owner = rule.owners[stretch.first];
  if (owner >= 0 && owner < judged.group.shards()) return;
  findings.Add(Property::kExtents, tensor, 0, {owner}, [&] {
    return fmt::format("its owner is {}: expected one of the {} shards", owner, judged.group.shards());
  });
}

void JudgeBlocks(const Judged& judged, const Stretch& stretch, int64_t block, int64_t parts, Findings& findings) {
  const int64_t shards = judged.group.shards();
  if (parts > shards && shards <= (stretch.length - 1) / block) AddLostTail(stretch, shards * block, findings);
  if (block < stretch.length) AddUnaligned(judged, stretch, block, 1, findings);
}

}  // namespace

void JudgeRule(const Judged& judged, const Division& division, const Stretch& stretch, Findings& findings) {
  if (stretch.tensors.empty()) return;
  if (const auto* owners = std::get_if<Owners>(&division.rule)) return JudgeOwner(judged, stretch, *owners, findings);
  const int64_t parts = PartsOf(division, judged.group);
  JudgeParts(judged, stretch, parts, findings);
  if (const auto* blocks = std::get_if<BlockCyclic>(&division.rule))
    return JudgeBlocks(judged, stretch, blocks->block, parts, findings);
  JudgeCut(judged, stretch, CutOf(judged.plan.model, stretch, division.rule, parts), findings);
}

}  // namespace zerocts::plan
