// A libcublas of our own, for tests: the functions that we call, on memory of the host, at once. Its products are plain
// loops whose order of addition depends on how operands stand in memory, as the real one's may.
#pragma once
#include <atomic>
#include <cstdint>

namespace zerocts::engine {

/// What the stub of this process does wrong.
struct CublasStubFaults {
  int major = 13;              // of its version
  const char* call = nullptr;  // this function returns `status`
  int status = 0;
};

/// What the stub of this process saw.
struct CublasStubSeen {
  std::atomic<int> handles = 0;  // that are held now
  std::atomic<int> products = 0, in_bf16 = 0, in_tf32 = 0;
  std::atomic<int> misplaced = 0;  // products of whole matrices of which one is not aligned to 256 bytes
};

using CublasStubFaultsOf = CublasStubFaults*();
using CublasStubSeenOf = CublasStubSeen*();
inline constexpr const char* kCublasStubFaultsOf = "zerocts_cublas_stub_faults";
inline constexpr const char* kCublasStubSeenOf = "zerocts_cublas_stub_seen";

}  // namespace zerocts::engine
