// Forward and backward of a loss that the host computes, where it is quadratic: one sharding unit at a time, as a
// model's would be, it is given the whole parameters that the engine computes with, and fills in their gradients.
#pragma once
#include <cstddef>
#include <functional>
#include <vector>

#include "impl/stages/rank/rank_context.hpp"
#include "impl/stages/stores/parameter_store.hpp"

namespace zerocts::engine {

/// Each is given a parameter and its values: [numel] in its precision, of the host, until it returns.
struct HostLoss {
  using Pass = std::function<void(int parameter, const void* values)>;
  Pass forward, backward;
};

/// What one micro-batch is given: the loss, and of each parameter whether it has a gradient (not nullptr).
struct GivenLoss {
  const HostLoss& loss;
  const std::vector<const void*>& gradients;
};

class LossPasses {
 public:
  /// names[owner]: the parameters that have the storage of `owner`. Outlives this.
  LossPasses(const RankContext& context, const std::vector<std::vector<int>>& names);

  /// All sharding units, the first one first. Collective.
  void Forward(const GivenLoss& given, ParameterStore& parameters);
  /// One sharding unit; called from the last to the first. Then the host has its gradients. Collective.
  void Backward(int unit, const GivenLoss& given, ParameterStore& parameters);

 private:
  void Unshard(int unit, ParameterStore& parameters) const;
  void Hand(int unit, const GivenLoss& given, const HostLoss::Pass& pass, ParameterStore& parameters);

  const EngineSettings& settings_;
  const Arrangement& arrangement_;
  const std::vector<std::vector<int>>& names_;
  Device& device_;
  DeviceStream& compute_;
  std::vector<std::byte> values_;  // of one parameter, on the host
};

}  // namespace zerocts::engine
