// The parameters that the same ranks have: the dense ones, or those of one expert. What a class has of its own, so that
// an expert is sharded among its ranks as the others are among all.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "impl/stages/stores/given_gradients.hpp"
#include "impl/stages/stores/gradient_norm.hpp"
#include "impl/stages/stores/gradient_store.hpp"
#include "impl/stages/stores/model_buffers.hpp"
#include "impl/stages/stores/optimizer_state.hpp"
#include "impl/stages/stores/parameter_store.hpp"

namespace zerocts::engine {

/// Everything that takes memory, in one place: what an engine allocates is what EstimateMemory says.
struct Stores {
  explicit Stores(const RankContext& context);

  ModelBuffers buffers;
  std::unique_ptr<ParameterStore> parameters;
  GradientStore gradients;
  OptimizerState optimizer;
  NormOverShards norm;
  std::optional<GivenGradients> given;  // where the engine computes no model
};

/// Collective, as its stores are.
struct ParameterClass {
  ParameterClass(const EngineSettings& settings, Arrangement arranged, Groups its_groups, Device& device,
                 Streams& streams, Timeline& timeline, MemoryLedger& ledger);

  const Arrangement arrangement;
  const EngineSettings own_settings;  // with the parts of parameters that this rank's layers have
  const Groups groups;
  const RankContext context;
  Stores stores;

  const float* Mean(const OwnedPiece& piece) const { return stores.gradients.Mean(piece); }
};

}  // namespace zerocts::engine
