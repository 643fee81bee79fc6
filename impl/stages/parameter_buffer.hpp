// The compute parameters: all of them on every rank, end to end in one flat buffer of param_dtype.
#pragma once
#include <vector>

#include "impl/stages/buffer.hpp"
#include "impl/stages/shard.hpp"
#include "impl/stages/upload.hpp"

namespace zerocts {

class ParameterBuffer {
 public:
  /// Collective. Holds nothing useful until Load.
  ParameterBuffer(Communicator& comm, Device& device, DeviceStream& stream, const Layout& layout, Precision precision,
                  MemoryLedger& ledger);

  /// initial[p]: fp32 of the host, [numel], equal on all ranks; rounded to param_dtype.
  void Load(const std::vector<const float*>& initial, Upload& upload);

  /// In fp32 the compute parameters are the master weights: where those of the shard stand. In bf16 nullptr, masters
  /// are held apart.
  float* MastersOf(const Shard& shard) const;
  /// bf16: rounds the masters [shard.numel] into the shard. fp32: nothing to do.
  void WriteBack(const Shard& shard, const float* masters);

  /// Every rank's shard to every rank. Collective.
  void AllGather();

  /// fp32 values of parameter p: in fp32 the parameter itself; in bf16 a copy in `wide`, [numel].
  const float* AsFloat(int p, float* wide) const;

  /// Copies parameter p to the host, in param_dtype.
  void Read(int p, void* host) const;

  Precision precision() const { return precision_; }

 private:
  float* fp32() const { return buffer_.as<float>(); }
  Bf16* bf16() const { return buffer_.as<Bf16>(); }

  Communicator& comm_;
  Device& device_;
  DeviceStream& stream_;
  const Layout& layout_;
  const Precision precision_;
  Buffer buffer_;
};

}  // namespace zerocts
