// Time on a GPU, by events of a stream: what the host does meanwhile does not count.
#pragma once
#include <functional>

#include "impl/device/cuda/stream.hpp"

namespace zerocts {

/// Seconds of one call of `enqueue`, the median over rounds of several calls each, after one round that does not count.
double MedianSecondsOn(engine::CudaStream& stream, const std::function<void()>& enqueue);

/// Floating-point operations per second of fp32 fmas with operands in registers, on all of this stream's GPU.
double FmaPeakOn(engine::CudaStream& stream);

}  // namespace zerocts
