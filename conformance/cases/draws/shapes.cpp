#include "conformance/cases/draws/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>

#include "conformance/cases/draws/equal_shards.hpp"

namespace zerocts {
namespace {

using Sizes = std::vector<int64_t>;  // numel per parameter

int64_t Total(const Sizes& sizes) { return std::accumulate(sizes.begin(), sizes.end(), int64_t{0}); }

void InsertAnywhere(Sizes& sizes, int64_t numel, Draws& draws) {
  sizes.insert(sizes.begin() + draws.Between(0, static_cast<int64_t>(sizes.size())), numel);
}

/// Pieces between ascending cut points.
Sizes Pieces(const std::set<int64_t>& cuts) {
  Sizes sizes;
  for (auto cut = std::next(cuts.begin()); cut != cuts.end(); ++cut) sizes.push_back(*cut - *std::prev(cut));
  return sizes;
}

int64_t RegularNumel(int size, Draws& draws) {
  if (draws.Percent(2)) return draws.Between(200, 500 + 15 * size);
  return draws.Between(1, 12 + size / 4);
}

Sizes RegularSizes(int size, Draws& draws) {
  Sizes sizes(static_cast<size_t>(draws.Between(2, 3)));
  for (int64_t& numel : sizes) numel = RegularNumel(size, draws);
  return sizes;
}

/// Parameters whose edges lie on boundaries of equal shards, not necessarily on all of them.
Sizes AlignedSizes(int world_size, int size, Draws& draws) {
  const int64_t total = draws.Between(world_size, world_size * (6 + size / 8));
  const Sizes boundaries = EqualShardBoundaries(total, world_size);
  std::set<int64_t> cuts = {0, total, boundaries[static_cast<size_t>(draws.Between(1, world_size - 1))]};
  for (int i = 0; i < 3; ++i) cuts.insert(draws.Percent(50) ? draws.Pick(boundaries) : draws.Between(0, total));
  return Pieces(cuts);
}

/// Fewer elements in all than there are ranks.
Sizes SizesBelowWorld(int world_size, Draws& draws) {
  const int64_t total = draws.Between(1, world_size - 1);
  return Pieces({0, total, draws.Between(0, total)});
}

Sizes MixedSizes(int world_size, int size, Draws& draws) {
  const bool several_ranks = world_size > 1;
  if (draws.Percent(17)) return {RegularNumel(size, draws)};
  if (several_ranks && draws.Percent(16)) return SizesBelowWorld(world_size, draws);
  const bool aligned = several_ranks && draws.Percent(40);
  Sizes sizes = aligned ? AlignedSizes(world_size, size, draws) : RegularSizes(size, draws);
  if (draws.Percent(28)) InsertAnywhere(sizes, 0, draws);
  if (aligned) return sizes;  // more elements would move the boundaries
  if (draws.Percent(25)) InsertAnywhere(sizes, 1, draws);
  if (several_ranks && draws.Percent(25)) InsertAnywhere(sizes, draws.Between(1, world_size - 1), draws);
  return sizes;
}

Sizes DegenerateSizes(int world_size, int size, Draws& draws) {
  const bool several_ranks = world_size > 1;
  if (draws.Percent(22)) return {draws.Percent(50) ? 1 : RegularNumel(size, draws)};
  Sizes sizes;
  if (several_ranks && draws.Percent(30)) {
    sizes = SizesBelowWorld(world_size, draws);
  } else {
    for (int64_t regular = draws.Between(0, 2); regular > 0; --regular) sizes.push_back(RegularNumel(size, draws));
    if (several_ranks && draws.Percent(50)) InsertAnywhere(sizes, draws.Between(1, world_size - 1), draws);
    if (draws.Percent(50) || Total(sizes) == 0) InsertAnywhere(sizes, 1, draws);
  }
  for (int64_t empty = draws.Percent(50) ? draws.Between(1, 2) : 0; empty > 0; --empty) InsertAnywhere(sizes, 0, draws);
  return sizes;
}

/// Few pieces of 2^least .. 2^most elements in all, and 2^25 in the copies of all ranks.
Sizes LargeSizes(int least, int most, int world_size, Draws& draws) {
  most = std::min<int>(most, 25 - std::bit_width(static_cast<unsigned>(world_size - 1)));
  const int64_t total = draws.Between(int64_t{1} << std::min(least, most), int64_t{1} << most);
  std::set<int64_t> cuts = {0, total};
  for (int64_t inner = draws.Between(0, 3); inner > 0; --inner) cuts.insert(draws.Between(1, total - 1));
  return Pieces(cuts);
}

std::vector<int64_t> ShapeOf(int64_t numel, Draws& draws) {
  using Shape = std::vector<int64_t>;
  if (numel == 0) return draws.Pick<Shape>({{0}, {0, 3}, {2, 0}});
  if (numel == 1) return draws.Pick<Shape>({{}, {}, {1}, {1, 1}});
  if (draws.Percent(50)) return {numel};
  for (const int64_t rows : {7, 5, 3, 2}) {
    if (numel > rows && numel % rows == 0) {
      return draws.Percent(50) ? Shape{rows, numel / rows} : Shape{numel / rows, rows};
    }
  }
  return draws.Pick<Shape>({{1, numel}, {numel, 1}});
}

/// More than buckets, so that a collective for each shows.
Sizes ManySizes(int world_size, Draws& draws) {
  Sizes sizes(static_cast<size_t>(draws.Between(40, 48)));
  for (int64_t& numel : sizes) numel = draws.Between(2, 2 * world_size + 1);
  return sizes;
}

Sizes DrawSizes(ShapeStyle style, int world_size, int size, Draws& draws) {
  switch (style) {
    case ShapeStyle::kDegenerate: return DegenerateSizes(world_size, size, draws);
    case ShapeStyle::kLarge:
      return draws.Percent(40) ? LargeSizes(22, 22, world_size, draws) : LargeSizes(18, 20, world_size, draws);
    case ShapeStyle::kBothSizes:
      if (draws.Percent(25)) return LargeSizes(16, 17, world_size, draws);
      if (draws.Percent(33)) return ManySizes(world_size, draws);
      break;
    case ShapeStyle::kMixed: break;
  }
  return MixedSizes(world_size, size, draws);
}

}  // namespace

std::vector<ParameterSpec> DrawParameters(ShapeStyle style, int world_size, int size, int least, Draws& draws) {
  Sizes sizes = DrawSizes(style, world_size, size, draws);
  while (std::ssize(sizes) - std::ranges::count(sizes, 0) < least) sizes.push_back(RegularNumel(size, draws));
  std::vector<ParameterSpec> parameters;
  for (const int64_t numel : sizes) {
    parameters.push_back({fmt::format("p{}", parameters.size()), ShapeOf(numel, draws), 0});
  }
  return parameters;
}

MlpSpec DrawMlp(Draws& draws) {
  MlpSpec spec;
  spec.vocab = draws.Between(32, 128);
  spec.context = draws.Between(2, 4);
  spec.embedding = draws.Between(3, 8);
  spec.hidden.assign(static_cast<size_t>(draws.Between(1, 2)), 0);
  for (int64_t& width : spec.hidden) width = 2 * draws.Between(1, 4) + 1;
  return spec;
}

namespace {

GptSpec DrawGpt(Draws& draws) {
  GptSpec spec;
  spec.vocab = draws.Between(32, 128);
  spec.context = draws.Between(2, 4);
  spec.layers = draws.Between(1, 2);
  spec.heads = spec.kv_heads = draws.Between(1, 3);
  spec.width = spec.heads * draws.Between(1, 3);
  spec.tied = draws.Percent(50);
  return spec;
}

}  // namespace

ModelSpec DrawModel(Draws& draws) {
  if (draws.Percent(50)) return DrawGpt(draws);
  return DrawMlp(draws);
}

bool TakesShapes(const Experiment& e, const Capabilities& can) {
  return std::ranges::all_of(e.parameters, [&](const ParameterSpec& parameter) {
    return (can.scalars || !parameter.shape.empty()) && (can.empty_parameters || parameter.numel() > 0);
  });
}

bool LeavesTooLittle(const Case& c, const Capabilities& can) {
  const Experiment& e = c.experiment;
  int64_t pieces = 0;
  for (int p = 0; p < std::ssize(e.parameters); ++p) {
    const int64_t numel = e.parameters[p].numel();
    if (!e.roles.HasState(p) || e.experts.ExpertOf(p) != Experts::kDense) continue;
    pieces += can.granularity == Granularity::kTensor ? std::min<int64_t>(numel, 1) : numel;
  }
  return can.no_empty_ranks && c.stage > 0 &&
         pieces < std::max(c.shards(), c.checkpoint ? c.checkpoint->other_world_size : 0);
}

}  // namespace zerocts
