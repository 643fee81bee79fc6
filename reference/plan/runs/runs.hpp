// What one shard holds, one run after the other: the slow and general answer that every closed form agrees with.
#pragma once
#include <functional>
#include <unordered_map>
#include <vector>

#include "reference/plan/runs/flat_range.hpp"

namespace zerocts::plan {

/// Elements [begin, end) of a flat range, and where they begin in the shard's memory of that flat range.
struct Span {
  int64_t begin = 0, end = 0, at = 0;
};
/// Elements [begin, end) of a tensor.
struct Run {
  int32_t tensor = 0;
  int64_t begin = 0, end = 0, at = 0;
  friend bool operator==(const Run&, const Run&) = default;
};

/// Where a sharding's parts are as many as `division` says, or as the sharding has shards.
int64_t PartsOf(const Division& division, const Group& group);

/// What `shard` has of a flat range by `rule`; padding included. Within the flat range, wherever the rule's lists are.
void ForEachSpan(const Model& model, const FlatRange& flat_range, const Rule& rule, int64_t parts, int shard,
                 const std::function<void(const Span&)>& visit);
/// As above, without padding.
void ForEachRun(const Model& model, const FlatRange& flat_range, const Rule& rule, int64_t parts, int shard,
                const std::function<void(const Run&)>& visit);

/// Is it Intervals or Affine, which say of every element who has it?
bool IsList(const Rule& rule);

/// A rule as it concerns each shard: lists are taken apart once, so that a shard costs what it holds.
class ShardRules {
 public:
  /// Keeps a reference to the rule.
  explicit ShardRules(const Rule& rule);
  const Rule& Of(int shard) const;

 private:
  const Rule& rule_;
  const bool is_list_;
  Rule nothing_;  // of shards that a list does not name
  std::unordered_map<int, Rule> of_shard_;
};

/// Everything that the ranks of a plan hold of one state, asked rank by rank.
class RankRuns {
 public:
  /// Keeps a reference to the plan.
  RankRuns(const Plan& plan, State state);
  void ForEach(int rank, const std::function<void(const Run&)>& visit) const;

 private:
  const Plan& plan_;
  const State state_;
  const Sharding* sharding_;
  Group group_;
  std::vector<ShardRules> rules_;  // per division
};

/// The runs of elements that lie one behind the other in the tensor and in the shard.
void ForEachSpan(const AffinePiece& piece, const std::function<void(const Span&)>& visit);
/// How many they are.
int64_t SpansOf(const AffinePiece& piece);

}  // namespace zerocts::plan
