#include "reference/plan/runs/totals.hpp"

#include <algorithm>
#include <functional>

#include "reference/plan/runs/cut.hpp"
#include "reference/plan/runs/runs.hpp"

namespace zerocts::plan {
namespace {

/// Parts [0, units / part) are full, one more has what is left.
void AddParts(int64_t units, int64_t part, int64_t amount_of_unit, ShardTotals& totals) {
  const int64_t full = units / part;
  totals.AddToRange(0, full, part * amount_of_unit);
  totals.AddTo(full, units % part * amount_of_unit);
}

void AddCut(const Cut& cut, int64_t weight, ShardTotals& totals) {
  const int64_t amount = cut.unit_numel() * weight;
  if (cut.part > 0) return AddParts(std::min(cut.units, cut.part * cut.parts), cut.part, amount, totals);
  totals.AddToRange(0, cut.parts, cut.units / cut.parts * amount);
  totals.AddToRange(0, cut.units % cut.parts, amount);
}

void AddBlocks(int64_t length, int64_t block, int64_t parts, int64_t weight, ShardTotals& totals) {
  const int64_t blocks = length / block, rounds = blocks / parts, rest = blocks % parts;
  totals.AddToRange(0, parts, rounds * block * weight);
  totals.AddToRange(0, rest, block * weight);
  totals.AddTo(rest, length % block * weight);
}

/// Elements of the tensors of a flat buffer in spans that ascend.
class FlatElements {
 public:
  FlatElements(const FlatRange& flat_range, std::span<const int64_t> weight)
      : flat_range_(flat_range), weight_(weight) {}
  int64_t In(int64_t begin, int64_t end) {
    int64_t amount = 0;
    for (size_t i = flat_range_.FirstBehind(begin); i < flat_range_.tensors.size() && flat_range_.offset[i] < end;
         ++i) {
      const int64_t first = std::max(begin, flat_range_.offset[i]);
      const int64_t last = std::min(end, flat_range_.offset[i] + flat_range_.numel[i]);
      if (first < last) amount += (last - first) * weight_[flat_range_.tensors[i]];
    }
    return amount;
  }

 private:
  const FlatRange& flat_range_;
  std::span<const int64_t> weight_;
};

bool OneWeight(const FlatRange& flat_range, std::span<const int64_t> weight) {
  return std::all_of(flat_range.tensors.begin(), flat_range.tensors.end(),
                     [&](int32_t t) { return weight[t] == weight[flat_range.tensors.front()]; });
}

/// A flat range of one weight without padding inside is divided as one tensor is. What is behind its end belongs to
/// nobody.
bool IsOneTensor(const FlatRange& flat_range, std::span<const int64_t> weight) {
  return !flat_range.tensors.empty() && OneWeight(flat_range, weight) && flat_range.elements() == flat_range.length;
}

void AddFlatCut(const Cut& cut, const FlatRange& flat_range, std::span<const int64_t> weight, int64_t shards,
                ShardTotals& totals) {
  FlatElements elements(flat_range, weight);
  for (int64_t s = 0; s < std::min(cut.parts, shards) && cut.begin(s) < cut.units; ++s)
    totals.AddTo(s, elements.In(cut.begin(s), cut.begin(s + 1)));
}

/// A tensor has what ends with it, less what ends before it.
void AddFlatBlocks(const FlatRange& flat_range, int64_t block, int64_t parts, std::span<const int64_t> weight,
                   ShardTotals& totals) {
  for (size_t i = 0; i < flat_range.tensors.size(); ++i) {
    const int64_t begin = std::min(flat_range.offset[i], flat_range.length);
    const int64_t end = std::min(flat_range.offset[i] + flat_range.numel[i], flat_range.length);
    AddBlocks(end, block, parts, weight[flat_range.tensors[i]], totals);
    AddBlocks(begin, block, parts, -weight[flat_range.tensors[i]], totals);
  }
}

void AddList(const FlatRange& flat_range, const Intervals& list, std::span<const int64_t> weight, ShardTotals& totals) {
  FlatElements elements(flat_range, weight);
  for (const Interval& i : list.intervals) totals.AddTo(i.shard, elements.In(i.begin, i.end));
}

void AddPieces(const FlatRange& flat_range, const Affine& affine, std::span<const int64_t> weight,
               ShardTotals& totals) {
  for (const AffinePiece& piece : affine.pieces)
    totals.AddTo(piece.shard, piece.numel() * weight[flat_range.tensors[0]]);
}

int64_t OwnerOf(const FlatRange& flat_range, const Owners& owners) {
  return flat_range.first < owners.owners.size() ? owners.owners[flat_range.first] : -1;
}

void AddHeld(const Plan& plan, const FlatRange& flat_range, const Rule& rule, int64_t parts, int64_t shards,
             std::span<const int64_t> weight, ShardTotals& totals) {
  if (flat_range.tensors.empty()) return;
  const int64_t first_weight = weight[flat_range.tensors.front()];
  const bool one = IsOneTensor(flat_range, weight);
  if (IsCut(rule)) {
    const Cut cut = CutOf(plan.model, flat_range, rule, parts);
    if (one) return AddCut(cut, first_weight, totals);
    return AddFlatCut(cut, flat_range, weight, shards, totals);
  }
  if (const auto* owners = std::get_if<Owners>(&rule))
    return totals.AddTo(OwnerOf(flat_range, *owners), flat_range.length * first_weight);
  if (const auto* list = std::get_if<Intervals>(&rule)) return AddList(flat_range, *list, weight, totals);
  if (const auto* affine = std::get_if<Affine>(&rule)) return AddPieces(flat_range, *affine, weight, totals);
  const int64_t block = std::get<BlockCyclic>(rule).block;
  if (one) return AddBlocks(flat_range.length, block, parts, first_weight, totals);
  AddFlatBlocks(flat_range, block, parts, weight, totals);
}

void AddSlots(const Plan& plan, const FlatRange& flat_range, const Rule& rule, int64_t parts,
              std::span<const int64_t> weight, ShardTotals& totals) {
  int64_t greatest = 0;
  for (const int32_t t : flat_range.tensors) greatest = std::max(greatest, weight[t]);
  if (IsCut(rule)) {
    const Cut cut = CutOf(plan.model, flat_range, rule, parts);
    if (cut.part == 0) return AddCut(cut, greatest, totals);
    if (cut.units > 0) totals.AddToRange(0, parts, cut.part * cut.unit_numel() * greatest);
  } else if (const auto* blocks = std::get_if<BlockCyclic>(&rule)) {
    AddBlocks(flat_range.length, blocks->block, parts, greatest, totals);
  } else if (const auto* owners = std::get_if<Owners>(&rule)) {
    totals.AddTo(OwnerOf(flat_range, *owners), flat_range.length * greatest);
  } else if (const auto* list = std::get_if<Intervals>(&rule)) {
    for (const Interval& i : list->intervals) totals.AddTo(i.shard, (i.end - i.begin) * greatest);
  } else {
    AddPieces(flat_range, std::get<Affine>(rule), weight, totals);
  }
}

template <typename Add>
std::vector<int64_t> TotalsOf(const Plan& plan, const Sharding& sharding, Add add) {
  const Group group(plan.mesh, sharding.axes);
  ShardTotals totals(group.shards());
  for (const Division& division : sharding.divisions) {
    FlatRanges flat_ranges(plan.model, division);
    while (const FlatRange* flat_range = flat_ranges.Next())
      add(*flat_range, division.rule, PartsOf(division, group), group.shards(), totals);
  }
  return totals.Done();
}

}  // namespace

void ShardTotals::AddToRange(int64_t first, int64_t end, int64_t amount) {
  const int64_t shards = std::ssize(steps_) - 1;
  first = std::clamp<int64_t>(first, 0, shards);
  end = std::clamp<int64_t>(end, first, shards);
  steps_[first] += amount, steps_[end] -= amount;
}

std::vector<int64_t> ShardTotals::Done() const {
  std::vector<int64_t> totals(steps_.size() - 1);
  int64_t sum = 0;
  for (size_t s = 0; s < totals.size(); ++s) totals[s] = sum += steps_[s];
  return totals;
}

std::vector<int64_t> HeldByShards(const Plan& plan, const Sharding& sharding, std::span<const int64_t> weight) {
  return TotalsOf(plan, sharding,
                  [&](const FlatRange& flat_range, const Rule& rule, int64_t parts, int64_t shards,
                      ShardTotals& totals) { AddHeld(plan, flat_range, rule, parts, shards, weight, totals); });
}

std::vector<int64_t> SlotsOfShards(const Plan& plan, const Sharding& sharding, std::span<const int64_t> weight) {
  return TotalsOf(plan, sharding,
                  [&](const FlatRange& flat_range, const Rule& rule, int64_t parts, int64_t, ShardTotals& totals) {
                    AddSlots(plan, flat_range, rule, parts, weight, totals);
                  });
}

}  // namespace zerocts::plan
