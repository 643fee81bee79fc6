// Flat storage of several tensors, one after the other, padded at the end so that it falls into one equal shard per
// rank.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include <zerocts/library/communicator.hpp>
#include <zerocts/library/settings.hpp>

namespace zerocts::library {

class ZEROCTS_EXPORTED Buffer {
 public:
  /// Zeros. Every shard is a multiple of `alignment` elements. Collective; needs memory that the host can reach.
  Buffer(const Communicator& ranks, const std::vector<int64_t>& numel, Precision precision, int64_t alignment = 1);
  ~Buffer();
  Buffer(Buffer&&) noexcept;
  Buffer& operator=(Buffer&&) noexcept;

  int tensors() const;
  int64_t numel(int tensor) const;
  int64_t numel() const;  // with padding
  int64_t shard_numel() const;
  Precision precision() const;
  int64_t element_bytes() const;

  // Views: float, or the bits of bf16 as uint16_t.
  void* data() const;
  void* tensor(int tensor) const;
  void* shard() const;  // this rank's, in its place in data()

  void Zero();
  /// tensor(t) = values, rounded to the precision.
  void Write(int tensor, const std::vector<float>& values);
  std::vector<float> Read(int tensor) const;
  /// tensor(t) += values, in place, as a gradient: values in the buffer's precision. In bf16 the sum is rounded.
  void Accumulate(int tensor, const void* values);

  /// Every rank's shard to every rank. Collective.
  void AllGather();
  /// This rank's shard becomes the sum or the mean over the ranks, added in the order 0, 1, ..; in bf16 rounded after
  /// every addition. The rest may hold anything afterwards. Collective.
  void ReduceScatter(GradientReduction reduction);

  struct Storage;
  const Storage& storage() const { return *storage_; }

 private:
  std::unique_ptr<Storage> storage_;
};

}  // namespace zerocts::library
