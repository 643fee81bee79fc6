// What a plan costs each rank: bytes held between steps, bytes that travel in a step, and their time on a link. Nothing
// is measured here. In the terms of the ZeRO paper (arXiv 1910.02054), Psi elements on W ranks:
//   stage 0   parameters, gradients and optimizer whole      moved per step 2 Psi (W - 1) / W
//   stage 1   optimizer divided                              2 Psi (W - 1) / W
//   stage 2   gradients too                                  2 Psi (W - 1) / W
//   stage 3   parameters too, gathered for every use         3 Psi (W - 1) / W
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "reference/plan/value/plan.hpp"

namespace zerocts::plan {

/// One kind of wire. Vendors name the bytes of both directions together, and so does this.
struct Wire {
  double bytes_per_second = 0;
  double latency_seconds = 0;  // of one message
};
struct Link {
  Wire inside;                  // of a host
  std::optional<Wire> between;  // hosts; absent: all ranks are on one
  int ranks_per_host = 1;
};

enum class GradientSync {
  kReduceScatter,  // each shard gets the sum of its own elements
  kAllReduce       // every rank gets all sums, though it needs its shard alone (CS336, entrenar)
};

struct CostNumbers {
  // Bytes per element. Absent: those of the tensor's dtype.
  std::optional<int> parameter_bytes, gradient_bytes;
  std::optional<int> wire_bytes;  // of gradients as they travel; absent: as they are held
  int master_bytes = 0;           // 4 where the optimizer keeps a copy in fp32
  int moment_bytes = 8;           // of all moments: SGD 0, with momentum 4, Adam 8
  int micro_batches = 1;          // K per rank and step
  bool reduce_each_micro_batch = false;
  GradientSync gradient_sync = GradientSync::kReduceScatter;
  int64_t bucket_elements = 0;  // travel together
  std::optional<Link> link;
};

enum class Collective { kGradients, kReplicas, kParameters };
inline constexpr Collective kCollectives[] = {Collective::kGradients, Collective::kReplicas, Collective::kParameters};
const char* NameOf(Collective collective);

struct Traffic {
  int64_t sent = 0, received = 0;  // bytes per step, padding included
  int64_t messages = 0;            // sent per step: each part goes straight to who needs it
  double seconds = 0;              // on the link
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

struct RankCosts {
  // Between steps, without padding.
  int64_t parameters = 0, gradients = 0, master = 0, moments = 0;
  int64_t padding = 0;       // of all four
  int64_t accumulation = 0;  // whole gradients that wait until all micro-batches are there
  int64_t buckets = 0;       // gradients before they are reduced, parameters after they were gathered
  int64_t staging = 0;       // gradients in another type for the wire
  std::array<Traffic, 3> traffic;
  int64_t held() const { return parameters + gradients + master + moments + padding; }
  int64_t optimizer() const { return master + moments; }
  const Traffic& of(Collective collective) const { return traffic[static_cast<int>(collective)]; }
  double seconds() const;
  friend bool operator==(const RankCosts&, const RankCosts&) = default;
};

struct Costs {
  std::vector<RankCosts> ranks;
  int64_t unsharded = 0;  // bytes that a rank would hold between steps if nothing were divided
  /// 0 to 1, of what a rank would hold.
  double SavingOf(const RankCosts& rank) const;
  const RankCosts& fullest() const;
};

/// Expects a sound plan. Throws std::invalid_argument for numbers that make no sense, where a rank sends more than
/// 2^63 - 1 bytes in a step, and for gradients or parameters that are divided, but otherwise than the optimizer state:
/// what a step moves then depends on the engine.
Costs CostsOf(const Plan& plan, const CostNumbers& numbers);

}  // namespace zerocts::plan
