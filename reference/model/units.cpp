#include "reference/model/units.hpp"

#include "reference/model/embedding.hpp"
#include "reference/model/linear.hpp"
#include "reference/model/split_cross_entropy.hpp"

namespace zerocts {
namespace {

struct MakeUnits {
  Precision precision;
  const LayerMaker& maker;
  Units operator()(const MlpSpec& spec) const { return MlpUnits(spec, precision, maker); }
  Units operator()(const GptSpec& spec) const { return GptUnits(spec, precision, maker); }
};

}  // namespace

std::unique_ptr<Unit> LayerMaker::MakeLinear(const std::string& name, const LinearShape& shape,
                                             Precision precision) const {
  return std::make_unique<Linear>(name, shape, precision);
}

RowSum LayerMaker::MakeRowSum(const SliceOrder& order, int64_t T) const { return OverPositions(order, T); }

std::unique_ptr<Unit> LayerMaker::SplitPositions(std::unique_ptr<Unit> unit, int64_t, int64_t) const { return unit; }

std::unique_ptr<Unit> LayerMaker::MakeEmbedding(const std::string& name, const EmbeddingShape& shape) const {
  return std::make_unique<Embedding>(name, shape);
}

std::unique_ptr<Unit> LayerMaker::MakeCrossEntropy(const CrossEntropyShape& shape) const {
  return std::make_unique<SplitCrossEntropy>(shape);
}

Units UnitsOf(const ModelSpec& spec, Precision precision, const LayerMaker& maker) {
  return std::visit(MakeUnits{precision, maker}, spec);
}

}  // namespace zerocts
