// Which units make a model of each kind.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "reference/model/unit.hpp"

namespace zerocts {

struct CrossEntropyShape;
struct EmbeddingShape;
struct LinearShape;
class RowSum;

/// Parameters of equal names in several units are one parameter.
using Units = std::vector<std::unique_ptr<Unit>>;

/// Who makes the layers that tensor ranks split, and how much of them this process has: here, all of it.
class LayerMaker {
 public:
  virtual ~LayerMaker() = default;
  virtual std::unique_ptr<Unit> MakeLinear(const std::string& name, const LinearShape& shape,
                                           Precision precision) const;
  virtual std::unique_ptr<Unit> MakeEmbedding(const std::string& name, const EmbeddingShape& shape) const;
  /// The loss of logits that are split.
  virtual std::unique_ptr<Unit> MakeCrossEntropy(const CrossEntropyShape& shape) const;
  /// Under sequence parallelism: sums over the T positions of a residual stream, of which a process has its own.
  virtual RowSum MakeRowSum(const SliceOrder& order, int64_t T) const;
  /// `unit` makes all [B*T, C] of a residual stream, of which a process goes on with its own positions.
  virtual std::unique_ptr<Unit> SplitPositions(std::unique_ptr<Unit> unit, int64_t T, int64_t C) const;
  /// How many this process has of so many outputs of a column-parallel layer, or heads, or positions.
  virtual int64_t OwnNumel(int64_t numel) const { return numel; }
};

Units MlpUnits(const MlpSpec& spec, Precision precision, const LayerMaker& maker);
Units GptUnits(const GptSpec& spec, Precision precision, const LayerMaker& maker);

Units UnitsOf(const ModelSpec& spec, Precision precision, const LayerMaker& maker = LayerMaker());

}  // namespace zerocts
