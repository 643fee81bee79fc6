// Every operation over odd sizes, blocks and values of all kinds, as values: what runs one does not know where its
// memory is, so that the same cases judge bodies on the host and kernels on a GPU.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "reference/ops/ops.hpp"

namespace zerocts::engine {

struct OpBuffer {
  enum Kind { kFloats, kBf16s, kTokens, kSquares, kMagnitudes };
  Kind kind;
  std::vector<std::byte> bytes;

  /// What has to be equal: canonical bits of values, the value of a sum.
  std::vector<uint64_t> Bits() const;
};

/// Where the buffers of a case are now.
struct OpMemory {
  std::vector<std::byte*> at;
  float* floats(int i) const { return reinterpret_cast<float*>(at[i]); }
  Bf16* bf16s(int i) const { return reinterpret_cast<Bf16*>(at[i]); }
  const int32_t* tokens(int i) const { return reinterpret_cast<const int32_t*>(at[i]); }
  SumOfSquares* squares(int i) const { return reinterpret_cast<SumOfSquares*>(at[i]); }
  SumOfMagnitudes* magnitudes(int i) const { return reinterpret_cast<SumOfMagnitudes*>(at[i]); }
};

struct OpCase {
  std::string name;
  std::vector<OpBuffer> buffers;  // before
  std::function<void(Ops& ops, const OpMemory& memory)> run;

  /// The buffers afterwards, where `ops` works on memory of the host.
  std::vector<OpBuffer> RunOnHost(Ops& ops) const;
};

std::vector<OpCase> OpCases();

}  // namespace zerocts::engine
