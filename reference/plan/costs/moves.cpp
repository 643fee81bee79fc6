#include "reference/plan/costs/moves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>
#include <unordered_map>

#include "reference/plan/runs/runs.hpp"
#include "reference/plan/value/checked_int64.hpp"

namespace zerocts::plan {
namespace {

constexpr size_t kMostRuns = size_t{1} << 26, kMostPairs = size_t{1} << 22;

struct HeldRun {
  int32_t tensor;
  int64_t begin, end;
  int32_t shard;
};

/// The tensors of `after` by their index in `before`.
std::vector<int32_t> Matched(const Plan& before, const Plan& after) {
  std::unordered_map<std::string, int32_t> index;
  for (int32_t t = 0; t < std::ssize(before.model); ++t) index.emplace(before.model[t].name, t);
  std::vector<int32_t> matched;
  for (const Tensor& tensor : after.model) {
    const auto found = index.find(tensor.name);
    if (found == index.end() || before.model[found->second].numel() != tensor.numel() ||
        before.model.size() != after.model.size()) {
      throw std::invalid_argument(
          fmt::format("two plans of one model: expected the same tensors in both, got {} in the second alone, or of "
                      "another size",
                      tensor.name));
    }
    matched.push_back(found->second);
  }
  return matched;
}

/// What the shards of a state hold, by element.
std::vector<HeldRun> HeldRuns(const Plan& plan, State state, const Group& group) {
  std::vector<HeldRun> held;
  const RankRuns runs(plan, state);
  for (int shard = 0; shard < group.shards(); ++shard) {
    runs.ForEach(group.FirstRankOf(shard), [&](const Run& run) {
      if (held.size() == kMostRuns)
        throw std::invalid_argument("the plan falls into more than 2^26 runs: too many to say where each goes");
      held.push_back({run.tensor, run.begin, run.end, shard});
    });
  }
  const auto key = [](const HeldRun& run) { return std::tuple(run.tensor, run.begin, run.shard); };
  std::sort(held.begin(), held.end(), [&](const HeldRun& a, const HeldRun& b) { return key(a) < key(b); });
  for (size_t n = 1; n < held.size(); ++n) {
    if (held[n].tensor != held[n - 1].tensor || held[n].begin >= held[n - 1].end) continue;
    throw std::invalid_argument(fmt::format(
        "pieces of {} lie on several shards: expected replicas along an axis of the mesh, to say what moves",
        plan.model[held[n].tensor].name));
  }
  return held;
}

class Mover {
 public:
  Mover(const Plan& before, const Plan& after) : before_(before), after_(after), tensor_(Matched(before, after)) {}

  /// `bytes_of` is asked for tensors of `before`.
  template <typename BytesOf>
  void AddState(State state, BytesOf bytes_of) {
    const std::vector<int64_t> bytes = BytesWhereBothHave(state, bytes_of);
    const Sharding* sharding = before_.sharding(state);
    const Group group(before_.mesh, sharding ? sharding->axes : std::vector<std::string>{});
    const std::vector<HeldRun> held = HeldRuns(before_, state, group);
    AddWhole(held, group, bytes);
    const RankRuns runs(after_, state);
    for (int rank = 0; rank < after_.mesh.world_size(); ++rank) {
      runs.ForEach(rank, [&](Run run) {
        run.tensor = tensor_[run.tensor];
        if (bytes[run.tensor] == 0) return;
        Add(run.end - run.begin, bytes[run.tensor], moves_.least);
        AddRun(held, group, rank, run, bytes[run.tensor]);
      });
    }
  }

  Moves Done() {
    for (const auto& [ranks, bytes] : pairs_) {
      moves_.moves.push_back({ranks.first, ranks.second, bytes});
      Add(bytes, 1, moves_.total);
    }
    return std::move(moves_);
  }

 private:
  static void Add(int64_t elements, int64_t bytes, int64_t& sum) {
    sum = CheckedSum(sum, CheckedProduct(elements, bytes));
  }

  /// Per tensor of `before`.
  template <typename BytesOf>
  std::vector<int64_t> BytesWhereBothHave(State state, BytesOf bytes_of) const {
    std::vector<int64_t> bytes(before_.model.size(), 0);
    for (size_t t = 0; t < tensor_.size(); ++t) {
      const Tensor& old = before_.model[tensor_[t]];
      if (Needs(old, state) && Needs(after_.model[t], state)) bytes[tensor_[t]] = bytes_of(old);
    }
    return bytes;
  }

  /// Elements that are on the rank already stay; others come from one holder, and replicas share the work.
  void AddRun(const std::vector<HeldRun>& held, const Group& group, int rank, const Run& run, int64_t bytes) {
    const int own = rank < before_.mesh.world_size() ? group.ShardOf(rank) : -1;
    auto next = std::partition_point(held.begin(), held.end(), [&](const HeldRun& h) {
      return std::pair(h.tensor, h.end) <= std::pair(run.tensor, run.begin);
    });
    int64_t position = run.begin;
    for (; next != held.end() && next->tensor == run.tensor && next->begin < run.end; ++next) {
      const int64_t begin = std::max(position, next->begin), end = std::min(run.end, next->end);
      if (begin >= end) continue;
      position = end;
      if (next->shard == own) {
        moves_.least -= (end - begin) * bytes;
        continue;
      }
      const std::vector<int> holders = group.RanksOf(next->shard);
      Add(end - begin, bytes, pairs_[{holders[rank % holders.size()], rank}]);
      if (pairs_.size() > kMostPairs)
        throw std::invalid_argument("bytes move between more than 2^22 pairs of ranks: too many to list");
    }
  }

  void AddWhole(const std::vector<HeldRun>& held, const Group& group, const std::vector<int64_t>& bytes) {
    std::vector<int64_t> own(group.shards(), 0);
    int64_t total = 0;
    for (const HeldRun& run : held) own[run.shard] += (run.end - run.begin) * bytes[run.tensor];
    for (const int64_t of_shard : own) total += of_shard;
    for (int rank = 0; rank < after_.mesh.world_size(); ++rank)
      Add(total - (rank < before_.mesh.world_size() ? own[group.ShardOf(rank)] : 0), 1, moves_.gathered_whole);
  }

  const Plan& before_;
  const Plan& after_;
  std::vector<int32_t> tensor_;
  std::map<std::pair<int, int>, int64_t> pairs_;
  Moves moves_;
};

}  // namespace

Moves MovesBetween(const Plan& before, const Plan& after, const MovedBytes& bytes) {
  Mover mover(before, after);
  mover.AddState(State::kParameters,
                 [&](const Tensor& tensor) { return bytes.parameter.value_or(BytesOf(tensor.dtype)); });
  mover.AddState(State::kOptimizer, [&](const Tensor&) { return bytes.optimizer; });
  return mover.Done();
}

}  // namespace zerocts::plan
