// What a public Buffer is inside: memory for collectives, and where tensors and shards stand in it.
#pragma once
#include <zerocts/library/buffer.hpp>

#include "impl/comm/buffer.hpp"
#include "impl/layout/layout.hpp"
#include "impl/library/ends.hpp"
#include "reference/model/model_spec.hpp"

namespace zerocts::library {

struct Buffer::Storage {
  Storage(const Communicator& ranks, const std::vector<int64_t>& numel, Precision precision, int64_t alignment);

  int64_t shard_begin() const { return layout.cuts.front()[ends->rank_settings.rank]; }
  std::byte* at(int64_t element) const { return memory.as<std::byte>() + element * element_bytes; }
  float* wide(int64_t element) const { return reinterpret_cast<float*>(at(element)); }
  Bf16* narrow(int64_t element) const { return reinterpret_cast<Bf16*>(at(element)); }
  bool is_narrow() const { return precision == zerocts::Precision::kBf16; }

  void ReadAsFloat(float* out, int64_t begin, int64_t numel) const;
  void WriteRounded(int64_t begin, const float* values, int64_t numel) const;

  const std::shared_ptr<Communicator::Ends> ends;
  const engine::Layout layout;  // plan padded, one bucket
  const zerocts::Precision precision;
  const int64_t element_bytes;
  engine::MemoryLedger ledger;
  const engine::Buffer memory;
};

}  // namespace zerocts::library
