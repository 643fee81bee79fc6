// Memory that is counted and never made, and ranks that give each other nothing: on them stands what only counts.
#pragma once
#include <cstddef>
#include <stdexcept>

#include "impl/comm/communicator.hpp"
#include "reference/ops/ops.hpp"

namespace zerocts::engine {

/// Any address: nobody may look there.
inline void* Nowhere() {
  static std::max_align_t memory;
  return &memory;
}

class NowhereMemory : public MemorySource {
 public:
  void* Allocate(int64_t, MemoryKind) override { return Nowhere(); }
  void Free(void*) override {}
};

/// Refuses collectives.
class NoTransport : public Communicator {
 public:
  NoTransport(int rank, int world_size) : rank_(rank), world_size_(world_size) {}
  int rank() const override { return rank_; }
  int world_size() const override { return world_size_; }
  std::string name() const override { return "none"; }
  void* Allocate(int64_t, MemoryKind) override { return Nowhere(); }
  void Free(void*) override {}
  int64_t staging_bytes() const override { return 0; }
  Traffic traffic() const override { return {}; }
  void AllGather(void*, const void*, const Cuts&, int, DeviceStream&, const char*) override { Refuse(); }
  void ReduceScatter(float*, void*, const Cuts&, const Reduction&, WireType, DeviceStream&, const char*) override {
    Refuse();
  }
  void AllToAll(float*, float*, const Cuts&, DeviceStream&, const char*) override { Refuse(); }
  void AllReduceSum(uint64_t*, int64_t, DeviceStream&, const char*) override { Refuse(); }
  void Barrier(const char*) override { Refuse(); }

 private:
  [[noreturn]] static void Refuse() { throw std::logic_error("an estimate of memory moves nothing"); }
  const int rank_, world_size_;
};

/// Lets them pass.
class IdleTransport final : public NoTransport {
 public:
  using NoTransport::NoTransport;
  void AllGather(void*, const void*, const Cuts&, int, DeviceStream&, const char*) override {}
  void ReduceScatter(float*, void*, const Cuts&, const Reduction&, WireType, DeviceStream&, const char*) override {}
  void AllToAll(float*, float*, const Cuts&, DeviceStream&, const char*) override {}
};

/// Operations that do nothing: for what is run to see what it asks for, not what it computes.
class IdleOps final : public Ops {
 public:
  void Copy(void*, const void*, int64_t) override {}
  void Fill(float*, float, int64_t) override {}
  void CastToFloat(float*, const Bf16*, int64_t) override {}
  void CastToBf16(Bf16*, const float*, int64_t) override {}
  void RoundToBf16(float*, int64_t) override {}
  void Add(float*, const float*, int64_t) override {}
  void Divide(float*, float, int64_t) override {}
  void Scale(float*, float, int64_t) override {}
  void Max(float*, const float*, int64_t) override {}
  void FoldLeaves(float*, const Fold&, std::span<const float* const>, float, int64_t) override {}
  void AddSquares(SumOfSquares*, const float*, int64_t) override {}
  void AddMagnitudes(SumOfMagnitudes*, const float*, int64_t) override {}
  void Sgd(const SgdScalars&, float*, float*, const float*, int64_t) override {}
  void AdamW(const AdamWScalars&, float*, float*, float*, const float*, int64_t) override {}
  void Adam(const OptimizerFormula&, const AdamScalars&, float*, float*, float*, const float*, int64_t) override {}
  void LambMoments(const OptimizerFormula&, const AdamScalars&, SumOfSquares*, SumOfSquares*, const float*, float*,
                   float*, const float*, int64_t) override {}
  void LambApply(const OptimizerFormula&, const AdamScalars&, float, float*, const float*, const float*,
                 int64_t) override {}
  void MomentumSgd(const OptimizerFormula&, const MomentumScalars&, float*, float*, const float*, int64_t) override {}
  void GemmNN(Matrix, ConstMatrix, ConstMatrix, int64_t, int64_t, int64_t, Operands) override {}
  void GemmNT(Matrix, ConstMatrix, ConstMatrix, int64_t, int64_t, int64_t, Operands) override {}
  void GemmTN(Matrix, ConstMatrix, ConstMatrix, int64_t, int64_t, int64_t, Operands) override {}
  void AddBias(float*, const float*, int64_t, int64_t) override {}
  void BiasGradient(float*, const float*, int64_t, int64_t) override {}
  void Gelu(float*, float*, const float*, int64_t) override {}
  void GeluGradient(float*, const float*, const float*, const float*, int64_t) override {}
  void Embed(float*, const float*, VocabRange, const int32_t*, int64_t, int64_t, int64_t) override {}
  void EmbedGradient(float*, VocabRange, const float*, const int32_t*, int64_t, int64_t, int64_t) override {}
  void LayerNorm(float*, float*, float*, const float*, const float*, const float*, float, int64_t, int64_t) override {}
  void LayerNormGradient(float*, float*, float*, const float*, const float*, const float*, const float*, const float*,
                         int64_t, int64_t) override {}
  void CausalAttention(float*, float*, float*, bool, const AttentionSizes&) override {}
  void CausalAttentionGradient(float*, float*, const float*, const float*, bool, const AttentionSizes&) override {}
  void SoftmaxCrossEntropy(float*, float*, const float*, const int32_t*, int64_t, int64_t) override {}
  void LargestLogits(float*, float*, const float*, VocabRange, const int32_t*, int64_t) override {}
  void SoftmaxNumerators(Matrix, float*, ConstMatrix, const float*, int64_t, int64_t) override {}
  void CrossEntropyOfSums(float*, float*, const float*, const float*, const float*, VocabRange, const int32_t*,
                          int64_t) override {}
};

}  // namespace zerocts::engine
