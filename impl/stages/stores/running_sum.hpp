// The sum over a step's micro-batches, element by element, in fp32 memory.
#pragma once
#include <vector>

#include "impl/comm/buffer.hpp"
#include "reference/model/model.hpp"

namespace zerocts::engine {

/// How micro-batches are added: 0, 1, .., K-1 in order, or as a balanced tree (reduction_order.hpp, TreeFold). In bf16
/// every micro-batch is rounded first, and the sum after every addition.
struct SumRule {
  int micro_batches = 1;
  bool tree = false;
  Precision kept_in = Precision::kFp32;

  /// Partial sums that have to be kept: one, or for a tree one per bit of K.
  int levels() const;
};

class RunningSum {
 public:
  RunningSum() = default;
  /// levels: rule.levels() buffers of equal size.
  RunningSum(const SumRule& rule, std::vector<Buffer> levels) : rule_(rule), levels_(std::move(levels)) {}

  /// Where micro-batch 0 may be written, so that Add need not copy it.
  float* first() const { return levels_.front().as<float>(); }
  /// The sum, after the last micro-batch was added.
  float* total() const { return levels_.back().as<float>(); }

  /// Adds micro-batch k of elements [offset, offset + numel); micro-batches of an element come in order. `values` may
  /// be rounded in place.
  void Add(DeviceStream& stream, int k, float* values, int64_t offset, int64_t numel) const;

 private:
  void AddTo(DeviceStream& stream, float* sum, const float* values, int64_t numel) const;

  SumRule rule_;
  std::vector<Buffer> levels_;  // levels_[i]: a tree over 2^i micro-batches
};

}  // namespace zerocts::engine
