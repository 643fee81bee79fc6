// The functions of the stub. A product needs what makes the real one's bits repeatable: a stream, then memory of the
// handle's own, no atomics; without them it refuses.
#include <cstring>

#include "impl/cuda_on_host/cublas_stub.hpp"
#include "impl/device/cublas/interface.hpp"
#include "reference/numerics/bf16.hpp"

using namespace zerocts;
using namespace zerocts::engine;
using namespace zerocts::engine::cublas;

namespace {

constexpr Status kNotInitialized = 1, kInvalidValue = 7;

CublasStubFaults faults;
CublasStubSeen seen;

struct StubHandle {
  bool has_stream = false, has_workspace = false, without_atomics = false;
};

Status ResultOf(const char* call) {
  return faults.call && std::strcmp(faults.call, call) == 0 ? faults.status : kSuccess;
}

StubHandle& Of(Handle handle) { return *static_cast<StubHandle*>(handle); }

/// A matrix column by column, or its transpose.
struct Columns {
  const void* values;
  DataType type;
  int64_t stride;
  Operation operation;
  int64_t begin;
  float At(int64_t row, int64_t column) const {
    const int64_t at = begin + (operation == kPlain ? column * stride + row : row * stride + column);
    return type == kBf16 ? ToFloat(static_cast<const Bf16*>(values)[at]) : static_cast<const float*>(values)[at];
  }
};

bool IsAligned(const void* memory) { return reinterpret_cast<uintptr_t>(memory) % 256 == 0; }

float Dot(const Columns& a, const Columns& b, int64_t row, int64_t column, int64_t k, bool forwards) {
  float sum = 0.0f;
  for (int64_t i = 0; i < k; ++i) {
    const int64_t at = forwards ? i : k - 1 - i;
    sum += a.At(row, at) * b.At(at, column);
  }
  return sum;
}

}  // namespace

extern "C" {

CublasStubFaults* zerocts_cublas_stub_faults() { return &faults; }
CublasStubSeen* zerocts_cublas_stub_seen() { return &seen; }

Status cublasGetProperty(int property, int* value) {
  *value = property == 0 ? faults.major : property + 1;
  return ResultOf("cublasGetProperty");
}
const char* cublasGetStatusString(Status status) { return status == 13 ? "the stub was told to" : nullptr; }

Status cublasCreate_v2(Handle* handle) {
  if (const Status wrong = ResultOf("cublasCreate"); wrong != kSuccess) return wrong;
  *handle = new StubHandle;
  ++seen.handles;
  return kSuccess;
}
Status cublasDestroy_v2(Handle handle) {
  delete &Of(handle);
  --seen.handles;
  return kSuccess;
}
Status cublasSetStream_v2(Handle handle, Stream) {
  Of(handle) = {.has_stream = true, .has_workspace = false, .without_atomics = Of(handle).without_atomics};
  return ResultOf("cublasSetStream");
}
Status cublasSetWorkspace_v2(Handle handle, void* workspace, size_t) {
  Of(handle).has_workspace = workspace && IsAligned(workspace);
  return ResultOf("cublasSetWorkspace");
}
Status cublasSetMathMode(Handle, MathMode) { return ResultOf("cublasSetMathMode"); }
Status cublasSetAtomicsMode(Handle handle, AtomicsMode mode) {
  Of(handle).without_atomics = mode == kWithoutAtomics;
  return ResultOf("cublasSetAtomicsMode");
}

Status cublasGemmStridedBatchedEx(Handle handle, Operation of_a, Operation of_b, int m, int n, int k, const void* alpha,
                                  const void* a, DataType type_of_a, int lda, long long stride_of_a, const void* b,
                                  DataType type_of_b, int ldb, long long stride_of_b, const void* beta, void* c,
                                  DataType type_of_c, int ldc, long long stride_of_c, int count, ComputeType compute,
                                  Algorithm) {
  if (const Status wrong = ResultOf("cublasGemmStridedBatchedEx"); wrong != kSuccess) return wrong;
  const StubHandle& is = Of(handle);
  if (!is.has_stream || !is.has_workspace || !is.without_atomics) return kNotInitialized;
  const bool adds = *static_cast<const float*>(beta) == 1.0f;
  const bool plain = *static_cast<const float*>(alpha) == 1.0f && (adds || *static_cast<const float*>(beta) == 0.0f);
  if (!plain || type_of_c != kFp32 || lda < (of_a == kPlain ? m : k) || ldb < (of_b == kPlain ? k : n) || ldc < m)
    return kInvalidValue;
  const bool aligned = IsAligned(a) && IsAligned(b) && IsAligned(c);
  ++seen.products;
  if (type_of_a == kBf16) ++seen.in_bf16;
  if (compute == kInTf32) ++seen.in_tf32;
  if (!aligned && count == 1) ++seen.misplaced;
  for (int64_t i = 0; i < count; ++i) {
    const Columns left{a, type_of_a, lda, of_a, i * stride_of_a}, right{b, type_of_b, ldb, of_b, i * stride_of_b};
    for (int64_t column = 0; column < n; ++column) {
      for (int64_t row = 0; row < m; ++row) {
        float& sum = static_cast<float*>(c)[i * stride_of_c + column * ldc + row];
        sum = Dot(left, right, row, column, k, !aligned) + (adds ? sum : 0.0f);
      }
    }
  }
  return kSuccess;
}
}
