// Products by a libcublas of our own (cublas_stub.hpp), everything else by loops of the host.
#pragma once
#include <dlfcn.h>

#include <cstdlib>
#include <memory>

#include "impl/cuda_on_host/cublas_stub.hpp"
#include "impl/device/cublas/ops.hpp"
#include "impl/device/for_test/serial_grid.hpp"

namespace zerocts::engine {

inline constexpr const char* kCublasStub = CUBLAS_STUB;

template <class Function>
auto OfCublasStub(const char* name) {
  return reinterpret_cast<Function*>(dlsym(dlopen(kCublasStub, RTLD_NOW | RTLD_LOCAL), name))();
}

inline std::shared_ptr<const CublasHandle> HandleOfStub() {
  static const CublasLibrary library({kCublasStub});
  static void* const workspace =
      std::aligned_alloc(CublasHandle::kAlignment, CublasHandle::kAlignment);  // the stub writes nothing there
  return std::make_shared<const CublasHandle>(library, nullptr, workspace);
}

inline std::unique_ptr<Ops> OpsWithStub(cublas::ComputeType of_fp32 = cublas::kInFp32) {
  return std::make_unique<CublasOps<SerialGrid>>(SerialGrid(), HandleOfStub(), of_fp32);
}

}  // namespace zerocts::engine
