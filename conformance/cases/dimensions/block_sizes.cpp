// Sizes at which engines, collectives and this suite change their way: blocks of elements that are added, copied or
// sent at once. A tensor, or all tensors over the ranks, is one element short of a block, fills it, or exceeds it by
// one.
#include <algorithm>

#include "conformance/cases/dimensions/declarations.hpp"

namespace zerocts {
namespace {

/// Elements of a block: of a loop that stays in the first cache, of a partial sum, of a message, of a copy past all
/// caches (4 MiB).
std::vector<int64_t> Blocks(Precision precision) {
  return {int64_t{1} << 12, int64_t{1} << 15, int64_t{1} << 16,
          int64_t{1} << (precision == Precision::kBf16 ? 21 : 20)};
}

bool IsAt(int64_t numel, int64_t block) { return block - 1 <= numel && numel <= block + 1; }

bool HasTensorAt(const Experiment& e, int64_t block) {
  return std::ranges::any_of(e.parameters, [&](const ParameterSpec& tensor) { return IsAt(tensor.numel(), block); });
}

bool IsAtABlock(const Case& c) {
  const Experiment& e = c.experiment;
  return std::ranges::any_of(Blocks(e.precision), [&](int64_t block) {
    return IsAt(TotalNumel(e), block * e.world_size) || HasTensorAt(e, block);
  });
}

bool IsPastCaches(const Case& c) {
  return c.world_size() > 1 && HasTensorAt(c.experiment, Blocks(c.experiment.precision).back());
}

bool IsLarge(const RunTerms& terms) { return !terms.small; }
bool HasOwnShapes(const RunTerms& terms) { return !HaveGivenParameters(terms.constraints); }

/// The largest is a tensor's alone, and is trained for few steps and micro-batches: a case takes at most seconds.
bool DrawBlockSizes(Drawing& drawing) {
  const bool small = drawing.conditions.largest_size == 0;
  const bool own_shapes = drawing.given() && !HaveGivenParameters(drawing.conditions.constraints);
  Draws& draws = drawing.draws;
  if (!drawing.varied || small || !own_shapes || !draws.Percent(10)) return true;
  Experiment& e = drawing.e;
  const std::vector<int64_t> blocks = Blocks(e.precision);
  const bool largest = e.world_size > 1 && draws.Percent(50);
  const int64_t block = largest ? blocks.back() : blocks.at(static_cast<size_t>(draws.Between(0, 2)));
  ParameterSpec& tensor = e.parameters.at(static_cast<size_t>(draws.Between(0, drawing.parameters() - 1)));
  const bool is_share = !largest && draws.Percent(50);
  const int64_t at = is_share ? block * e.world_size - (TotalNumel(e) - tensor.numel()) : block;
  if (at < 2) return true;  // the others are as large
  tensor.shape = {at + draws.Between(-1, 1)};
  if (!largest) return true;
  e.steps = drawing.space.min_steps;
  e.micro_batches = std::min(e.micro_batches, 2);
  return true;
}

}  // namespace

Dimension BlockSizesDimension() {
  return {.name = "block sizes",
          .form = {.features = {{"block_edge",
                                 "a tensor has the elements of a block (4,096, 32,768, 65,536, or 4 MiB of values), or "
                                 "one more or less; or all tensors together have as much for each rank",
                                 IsAtABlock},
                                {"past_caches",
                                 "several ranks share a tensor of 4 MiB of values, or of one more or less (one case is "
                                 "enough)",
                                 IsPastCaches, /*costly=*/true}}},
          .declared =
              {.requirements = {NeedsSeveralRanks({"past_caches"}),
                                {{"past_caches"}, "tensors that are not held small (--tier smoke)", IsLarge},
                                {{"past_caches"}, "tensors of any size (no --shapes, no plan file)", HasOwnShapes}}},
          .drawn = {.on_request = true, .draw = DrawBlockSizes}};
}

}  // namespace zerocts
