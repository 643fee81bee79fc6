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

/// Parameters of equal names in several units are one parameter.
using Units = std::vector<std::unique_ptr<Unit>>;

/// Who makes the layers that tensor ranks split, and how much of them this process has: here, all of it.
class LayerMaker {
 public:
  virtual ~LayerMaker() = default;
  virtual std::unique_ptr<Unit> MakeLinear(const std::string& name, const LinearShape& shape,
                                           Precision precision) const;
  virtual std::unique_ptr<Unit> MakeEmbedding(const std::string& name, const EmbeddingShape& shape) const;
  /// Of logits that are split.
  virtual std::unique_ptr<Unit> MakeCrossEntropy(const CrossEntropyShape& shape) const;
  /// Of so many outputs of a column-parallel layer, or heads.
  virtual int64_t OwnNumel(int64_t numel) const { return numel; }
};

Units MlpUnits(const MlpSpec& spec, Precision precision, const LayerMaker& maker);
Units GptUnits(const GptSpec& spec, Precision precision, const LayerMaker& maker);

Units UnitsOf(const ModelSpec& spec, Precision precision, const LayerMaker& maker = LayerMaker());

}  // namespace zerocts
