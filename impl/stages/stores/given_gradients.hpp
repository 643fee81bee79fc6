// Micro-batches whose gradients the host gives: as a backward pass would, one sharding unit at a time from the last to
// the first, multiplied by the loss scale, tied names in one. Keeps count of which parameters had a gradient at all.
#pragma once
#include <functional>
#include <vector>

#include "impl/stages/arrangement/arrangement.hpp"
#include "impl/stages/rank/rank_context.hpp"
#include "impl/stages/stores/gradient_store.hpp"
#include "impl/stages/stores/loss_passes.hpp"

namespace zerocts::engine {

/// Tensors of the host, given in fp32 or bf16, as fp32 on the device: chunk after chunk through one small buffer.
class Upload {
 public:
  Upload(const RankContext& context, DeviceStream& stream, int64_t largest_numel);

  /// visit(begin, values, count): elements [begin, begin + count) stand in `values`, which visit may change, for what
  /// it enqueues. `host` is the host's again after the stream is synchronised.
  void ForEachChunk(const void* host, Precision precision, int64_t numel,
                    const std::function<void(int64_t, float*, int64_t)>& visit);

 private:
  Device& device_;
  DeviceStream& stream_;
  const int64_t chunk_;
  Buffer narrow_, wide_;  // [chunk_] as the host gave it, and as fp32
};

class GivenGradients {
 public:
  explicit GivenGradients(const RankContext& context);

  /// gradients[p] of the host, [numel] in the parameter's precision; nullptr: none. They are the host's again on
  /// return. `loss`: of which they are the gradients, where it fills them in; nullptr: they are there. Collective.
  void Accumulate(int micro_batch, const std::vector<const void*>& gradients, const HostLoss* loss, float loss_scale,
                  ParameterStore& parameters, GradientStore& store);

  /// [parameters]: micro-batches of this rank, since the last call, that gave a gradient for what has this storage.
  std::vector<uint64_t> TakeCounts();

 private:
  void Write(int p, const void* gradient, float loss_scale, bool begins, float* out);

  const EngineSettings& settings_;
  const Arrangement& arrangement_;
  DeviceStream& compute_;
  Upload upload_;
  std::vector<std::vector<int>> names_;  // [parameters]: of storage p, ascending; empty for what has none
  LossPasses passes_;
  std::vector<uint64_t> counts_;
};

}  // namespace zerocts::engine
