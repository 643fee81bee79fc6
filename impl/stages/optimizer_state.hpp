// The optimizer's memory of one shard, in fp32: master weights and moments. In stage 1 this is 1/W of the whole; that
// is ZeRO.
#pragma once
#include <string>
#include <vector>

#include "impl/stages/buffer.hpp"
#include "impl/stages/shard.hpp"
#include "reference/optim/step.hpp"

namespace zerocts {

class OptimizerState {
 public:
  /// `masters` [shard.numel]: where the master weights stand already, or nullptr to hold them here. group_of[p]: the
  /// group of each parameter.
  OptimizerState(Device& device, DeviceStream& stream, OptimizerKind kind, const Shard& shard, float* masters,
                 std::vector<int> group_of, MemoryLedger& ledger);

  /// Master weights from initial[p] (fp32 of the host, [numel]); moments are zero.
  void Load(const std::vector<const float*>& initial);

  /// One step on the mean gradient of the shard, [shard.numel]; `products` were already advanced for it.
  void Apply(const std::vector<HyperParameters>& groups, const std::vector<BetaProducts>& products, float clip,
             const float* gradient);

  float* masters() const { return masters_; }
  /// "master" or one of MomentNames, [shard.numel]; nullptr for a name that this optimizer does not have.
  const float* Find(const std::string& state) const;

 private:
  Device& device_;
  DeviceStream& stream_;
  const OptimizerKind kind_;
  const Shard& shard_;
  const std::vector<int> group_of_;
  Buffer master_buffer_;
  float* masters_;
  std::vector<Buffer> moments_;  // in the order of MomentNames
};

}  // namespace zerocts
