#include "conformance/check/cost/traffic.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace zerocts {
namespace {

/// Norms and flags, on every rank and step, by all-reduce: our own norm reads 4 KiB of integers of each other rank, and
/// once more what is added of experts.
constexpr uint64_t kSmallTalk = 16 << 10, kSmallTalkOfPeer = 8 << 10;
uint64_t SmallTalk(const Case& c) {
  const uint64_t norms = c.experiment.experts.count > 1 ? 2 : 1;
  return norms * std::max(kSmallTalk, kSmallTalkOfPeer * static_cast<uint64_t>(c.world_size() - 1));
}
/// What a transport adds on every rank and step, and what else goes through its connections: headers, stores,
/// watchdogs. In a collective gloo took 360 bytes for each peer beyond what it moves.
constexpr uint64_t kTransportTalk = 16 << 10, kTransportTalkOfPeer = 512;
/// Where a reduce-scatter is made of an all-reduce.
constexpr uint64_t kTransportFactor = 2;

/// What ranks moved in a step: gradients and parameters, without the few bytes of norms and flags.
struct Moved {
  uint64_t sent = 0, received = 0, all_reduce_sent = 0, all_reduce_received = 0;
  uint64_t reduce_scatter_calls = 0, all_gather_calls = 0;

  void Add(const StepTraffic& step, const Case& c) {
    for (const StepTraffic::Count& count : {step.reduce_scatter, step.all_gather, step.broadcast}) {
      sent += count.sent_bytes;
      received += count.received_bytes;
    }
    const auto without_talk = [&](uint64_t bytes) { return bytes - std::min(bytes, SmallTalk(c)); };
    all_reduce_sent += without_talk(step.all_reduce.sent_bytes);
    all_reduce_received += without_talk(step.all_reduce.received_bytes);
    reduce_scatter_calls = std::max(reduce_scatter_calls, step.reduce_scatter.calls);
    all_gather_calls = std::max(all_gather_calls, step.all_gather.calls);
  }
};

/// One step of a case.
class Step {
 public:
  Step(const Case& c, const std::vector<RankObservation>& ranks, const TrafficLimits& limits, int64_t step)
      : c_(c),
        ranks_(ranks),
        limits_(limits),
        step_(step),
        ranks_of_replica_(c.world_size() / c.replicas),
        what_(c.tensor > 1 ? "gradients, parameters and activations" : "gradients and parameters"),
        most_(MostTrafficOf(c, limits)),
        least_bytes_(LeastTrafficOf(c, step)) {}

  std::optional<Finding> Check() const {
    for (int replica = 0; replica < c_.replicas; ++replica) {
      if (auto finding = CheckReplica(replica)) return finding;
    }
    if (auto finding = CheckAllSent()) return finding;
    if (auto finding = CheckBalance()) return finding;
    if (auto finding = CheckEnough()) return finding;
    return CheckSeen();
  }

  /// The bytes that have to travel were measured, and as many more would have been noticed.
  bool IsSeen() const {
    const auto seen = SeenReceived();
    return seen && least_bytes_ > 0 && *seen >= least_bytes_ && least_bytes_ > TransportTalk();
  }

 private:
  const StepTraffic* TrafficOf(int rank) const {
    const std::vector<StepTraffic>& traffic = ranks_[static_cast<size_t>(rank)].traffic;
    const auto found = std::ranges::find(traffic, step_, &StepTraffic::step);
    return found == traffic.end() ? nullptr : &*found;
  }

  /// An all-reduce as far as the formula has to have room for it: stage 1 may take one for the reduce-scatter of its
  /// gradients.
  uint64_t Counted(uint64_t all_reduced, int replicas) const {
    if (c_.stage != 1) return all_reduced;
    return all_reduced - std::min(all_reduced / 2, most_.scattered_bytes * static_cast<uint64_t>(replicas));
  }

  uint64_t Talk(uint64_t of_rank) const { return of_rank * static_cast<uint64_t>(c_.world_size()); }

  uint64_t TransportTalk() const {
    return Talk(kTransportTalk + kTransportTalkOfPeer * static_cast<uint64_t>(c_.world_size() - 1) * most_.calls);
  }

  Finding Wrong(const std::string& sentence) const {
    const std::string tensor = c_.tensor > 1 ? fmt::format(", {} tensor ranks", c_.tensor) : "";
    return {fmt::format("step {}: {} (stage {}, {} shards, {} replicas{}, {} micro-batches)", step_, sentence, c_.stage,
                        c_.shards(), c_.replicas, tensor, c_.experiment.micro_batches),
            std::nullopt};
  }

  std::optional<Finding> CheckReplica(int replica) const {
    Moved moved;
    int counted = 0;
    for (int rank = replica * ranks_of_replica_; rank < (replica + 1) * ranks_of_replica_; ++rank) {
      const StepTraffic* traffic = TrafficOf(rank);
      if (traffic) moved.Add(*traffic, c_);
      counted += traffic != nullptr;
    }
    if (counted != ranks_of_replica_) {
      return Wrong(fmt::format("{} of {} ranks counted what they moved", counted, ranks_of_replica_));
    }
    const uint64_t received = moved.received + Counted(moved.all_reduce_received, 1);
    if (received > most_.bytes) {
      return Wrong(fmt::format("the ranks of replica {} received {} bytes of {}, expected at most {}", replica,
                               received, what_, most_.bytes));
    }
    return CheckCalls(replica, moved);
  }

  std::optional<Finding> CheckCalls(int replica, const Moved& moved) const {
    for (const auto& [what, calls] :
         {std::pair("reduce-scatters", moved.reduce_scatter_calls), std::pair("all-gathers", moved.all_gather_calls)}) {
      if (most_.calls == 0 || calls <= most_.calls) continue;
      return Wrong(fmt::format("a rank of replica {} made {} {}, expected at most {} for {} parameters {}", replica,
                               calls, what, most_.calls, c_.experiment.parameters.size(),
                               limits_.parameters_per_unit ? fmt::format("in units of {}", limits_.parameters_per_unit)
                               : c_.bucket_cap_bytes       ? fmt::format("in buckets of {} bytes", c_.bucket_cap_bytes)
                                                           : "that fit into one bucket"));
    }
    return std::nullopt;
  }

  /// A transport may let one rank pass on what another sent, so senders are not told apart by replica.
  std::optional<Finding> CheckAllSent() const {
    Moved all;
    for (int rank = 0; rank < c_.world_size(); ++rank) all.Add(*TrafficOf(rank), c_);
    const uint64_t at_most = most_.bytes * static_cast<uint64_t>(c_.replicas);
    const uint64_t sent = all.sent + Counted(all.all_reduce_sent, c_.replicas);
    if (sent <= at_most) return std::nullopt;
    return Wrong(
        fmt::format("the ranks of all replicas sent {} bytes of {}, expected at most {}", sent, what_, at_most));
  }

  /// What one rank sends another one receives, in a collective of the same kind.
  std::optional<Finding> CheckBalance() const {
    for (const auto& [name, count] : kCollectives) {
      uint64_t sent = 0, received = 0;
      for (int rank = 0; rank < c_.world_size(); ++rank) {
        sent += (TrafficOf(rank)->*count).sent_bytes;
        received += (TrafficOf(rank)->*count).received_bytes;
      }
      if (sent == received) continue;
      return Wrong(fmt::format("all ranks together sent {} bytes by {} and received {}, expected as many", sent, name,
                               received));
    }
    return std::nullopt;
  }

  std::optional<Finding> CheckEnough() const {
    uint64_t received = 0;
    for (int rank = 0; rank < c_.world_size(); ++rank) {
      for (const auto& [name, count] : kCollectives) received += (TrafficOf(rank)->*count).received_bytes;
    }
    if (received >= least_bytes_) return std::nullopt;
    return Wrong(
        fmt::format("all ranks together received {} bytes, as they report: expected at least {}, the "
                    "gradients{} that have to leave their ranks",
                    received, least_bytes_, c_.tensor > 1 ? " and activations" : ""));
  }

  /// Over all ranks; none where one was not looked at.
  std::optional<uint64_t> SeenReceived() const {
    uint64_t received = 0;
    for (const RankObservation& rank : ranks_) {
      const auto found = std::ranges::find(rank.seen_traffic, step_, &SeenTraffic::step);
      if (found == rank.seen_traffic.end()) return std::nullopt;
      received += found->received_bytes;
    }
    return received;
  }

  /// Nothing is required of what was seen to be at least: ranks of one host may meet in memory, which nobody sees.
  std::optional<Finding> CheckSeen() const {
    const uint64_t replicas_bytes = most_.bytes * static_cast<uint64_t>(c_.replicas);
    const uint64_t at_most = kTransportFactor * replicas_bytes + TransportTalk();
    const std::optional<uint64_t> seen = SeenReceived();
    if (!seen || *seen <= at_most) return std::nullopt;
    return Wrong(
        fmt::format("the connections of all ranks were seen to receive {} bytes, expected at most {} = {} x {} "
                    "of the formula + {} for what a transport adds",
                    *seen, at_most, kTransportFactor, replicas_bytes, TransportTalk()));
  }

  const Case& c_;
  const std::vector<RankObservation>& ranks_;
  const TrafficLimits& limits_;
  const int64_t step_;
  const int ranks_of_replica_;
  const std::string what_;
  const MostTraffic most_;
  const uint64_t least_bytes_;
};

}  // namespace

std::optional<Finding> CheckTraffic(const Case& c, const std::vector<RankObservation>& ranks,
                                    const TrafficLimits& limits, Evidence& evidence) {
  for (int64_t step = 0; step < c.experiment.steps; ++step) {
    const Step one(c, ranks, limits, step);
    if (auto finding = one.Check()) return finding;
    evidence.Add(one.IsSeen() ? FigureSource::kKernel : FigureSource::kSubject);
  }
  return std::nullopt;
}

}  // namespace zerocts
