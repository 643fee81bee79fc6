// The fp32 units of a GPU: enough independent chains in the registers of enough threads to keep them busy.
#include <cuda_runtime.h>

#include "bench/gpu/cuda_clock.hpp"
#include "impl/device/cuda/calls.hpp"

namespace zerocts {
namespace {

constexpr int kChains = 8, kRounds = 4096, kThreads = 512;

__global__ void __launch_bounds__(kThreads) Fmas(float* out, float factor) {
  float sums[kChains];
  for (int i = 0; i < kChains; ++i) sums[i] = static_cast<float>(i);
  for (int round = 0; round < kRounds; ++round) {
#pragma unroll
    for (int i = 0; i < kChains; ++i) sums[i] = __fmaf_rn(sums[i], factor, factor);
  }
  float sum = 0.0f;
  for (int i = 0; i < kChains; ++i) sum = __fadd_rn(sum, sums[i]);
  if (sum == 123.0f) *out = sum;  // it never is, which the compiler does not know
}

int Processors() {
  int gpu = 0, processors = 0;
  engine::RequireCuda(cudaGetDevice(&gpu), "cudaGetDevice");
  engine::RequireCuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, gpu),
                      "cudaDeviceGetAttribute");
  return processors;
}

}  // namespace

double FmaPeakOn(engine::CudaStream& stream) {
  const int blocks = 8 * Processors();
  const double seconds = MedianSecondsOn(stream, [&] {
    stream.Launch([=](cudaStream_t handle) {
      Fmas<<<blocks, kThreads, 0, handle>>>(nullptr, 0.5f);
      engine::RequireCuda(cudaGetLastError(), "the launch of a kernel");
    });
  });
  return 2.0 * blocks * kThreads * kChains * kRounds / seconds;
}

}  // namespace zerocts
