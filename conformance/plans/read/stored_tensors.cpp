#include "conformance/plans/read/stored_tensors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "reference/plan/runs/problem.hpp"
#include "reference/plan/runs/runs.hpp"

namespace zerocts::read {
namespace {

constexpr int64_t kMostRuns = int64_t{1} << 21;  // of one tensor: the judge lists them

/// False: in some dimension it ends behind the tensor. A list of elements would hide that in the next row.
bool Within(const Block& block, const std::vector<int64_t>& shape) {
  for (size_t d = 0; d < shape.size(); ++d) {
    if (block.offsets[d] < 0 || block.sizes[d] < 0 || block.sizes[d] > shape[d] ||
        block.offsets[d] > shape[d] - block.sizes[d])
      return false;
  }
  return true;
}

/// Expects a block within the tensor.
plan::AffinePiece PieceOf(const Block& block, const std::vector<int64_t>& shape) {
  plan::AffinePiece piece{.shard = block.shard, .shape = block.sizes, .locations = block.holders};
  piece.source_strides.resize(shape.size());
  piece.dest_strides.resize(shape.size());
  int64_t source = 1, dest = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    piece.source_strides[d] = source, piece.dest_strides[d] = dest;
    piece.source_offset += block.offsets[d] * source;
    source *= shape[d], dest *= block.sizes[d];
  }
  return piece;
}

plan::Affine PiecesOf(const StoredTensor& stored, Reading& reading) {
  plan::Affine affine;
  int64_t runs = 0;
  const std::vector<int64_t>& shape = stored.tensor.shape;
  for (const Block& block : stored.blocks) {
    if (block.offsets.size() != shape.size() || block.sizes.size() != shape.size())
      throw std::invalid_argument(fmt::format("{} has shape {} and a block of {} dimensions", stored.tensor.name,
                                              ShapeText(shape), block.sizes.size()));
    if (!Within(block, shape)) {
      reading.faults.push_back(fmt::format("a block of {} begins at {} with sizes {}: expected it within {}",
                                           stored.tensor.name, ShapeText(block.offsets), ShapeText(block.sizes),
                                           ShapeText(shape)));
      continue;
    }
    affine.pieces.push_back(PieceOf(block, shape));
    runs += SpansOf(affine.pieces.back());
    if (runs > kMostRuns)
      throw std::invalid_argument(fmt::format("the blocks of {} fall into more than {} runs of elements: refused",
                                              stored.tensor.name, kMostRuns));
  }
  return affine;
}

}  // namespace

std::string ShapeText(const std::vector<int64_t>& sizes) { return fmt::format("[{}]", fmt::join(sizes, ", ")); }

void SetPlanOf(const std::vector<StoredTensor>& tensors, const std::string& axis, int shards, Reading& reading) {
  SetPlanOf(tensors, {{{axis, shards}}}, {axis}, reading);
}

void SetPlanOf(const std::vector<StoredTensor>& tensors, const Mesh& mesh, const std::vector<std::string>& axes,
               Reading& reading) {
  plan::Plan& plan = reading.plan;
  plan.mesh = mesh;
  for (const StoredTensor& stored : tensors) {
    plan.model.push_back(stored.tensor);
    plan.model.back().frozen = true;
  }
  const std::string problem = plan::Problem(plan);  // before shapes are multiplied
  if (!problem.empty()) throw std::invalid_argument(problem);
  plan::Sharding sharding{axes, {}};
  for (int32_t t = 0; t < std::ssize(tensors); ++t) {
    const plan::Rule rule = tensors[t].rows ? plan::Rule(*tensors[t].rows) : PiecesOf(tensors[t], reading);
    sharding.divisions.push_back({.tensors = {{t, t + 1}}, .rule = rule});
  }
  plan.shardings = {std::move(sharding)};
  plan.sharding_of = {0, plan::Plan::kWhole, plan::Plan::kWhole};
}

}  // namespace zerocts::read
