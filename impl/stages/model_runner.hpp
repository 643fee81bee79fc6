// Forward and backward of one micro-batch on the engine's own parameters, into the engine's own gradients.
#pragma once
#include <memory>

#include "impl/stages/gradient_buffer.hpp"
#include "impl/stages/parameter_buffer.hpp"
#include "reference/model/model.hpp"

namespace zerocts {

class ModelRunner {
 public:
  /// Throws std::invalid_argument unless `parameters` are those of the model.
  ModelRunner(const ModelSpec& spec, const std::vector<ParameterSpec>& parameters, Precision precision, int micro_batches,
              Device& device, DeviceStream& stream, MemoryLedger& ledger);

  /// inputs [batch, context] and targets [batch, targets per sequence] of the host. Returns the mean loss of the micro-batch.
  double ForwardBackward(int micro_batch, const int32_t* inputs, const int32_t* targets, int64_t batch, int64_t context,
                         const ParameterBuffer& parameters, GradientBuffer& gradients);

 private:
  const int64_t context_;
  DeviceStream& stream_;
  Model model_;
  std::vector<int64_t> offset_;  // of each parameter in the two buffers below
  Buffer wide_parameters_;       // bf16: fp32 copies, because the model computes on fp32 values
  Buffer micro_batch_gradient_;  // K > 1: every micro-batch but the first, before it is added
};

}  // namespace zerocts
