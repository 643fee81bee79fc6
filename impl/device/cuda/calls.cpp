#include "impl/device/cuda/calls.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace zerocts::engine {

void RequireCuda(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  throw std::runtime_error(
      fmt::format("device cuda: {}: {} ({})", call, cudaGetErrorString(code), cudaGetErrorName(code)));
}

}  // namespace zerocts::engine
