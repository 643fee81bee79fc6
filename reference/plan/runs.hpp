// What one shard holds, one run after the other: the slow and general answer that every closed form agrees with.
#pragma once
#include <functional>

#include "reference/plan/stretch.hpp"

namespace zerocts::plan {

/// Elements [begin, end) of a stretch, and where they begin in the shard's memory of that stretch.
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

/// What `shard` has of a stretch by `rule`; padding included. Within the stretch, wherever the rule's lists are.
void ForEachSpan(const Model& model, const Stretch& stretch, const Rule& rule, int64_t parts, int shard,
                 const std::function<void(const Span&)>& visit);
/// Likewise, without padding.
void ForEachRun(const Model& model, const Stretch& stretch, const Rule& rule, int64_t parts, int shard,
                const std::function<void(const Run&)>& visit);
/// Everything that `rank` holds of a state.
void ForEachRun(const Plan& plan, State state, int rank, const std::function<void(const Run&)>& visit);

/// The runs of elements that lie one behind the other in the tensor and in the shard.
void ForEachSpan(const AffinePiece& piece, const std::function<void(const Span&)>& visit);
/// How many they are.
int64_t SpansOf(const AffinePiece& piece);

}  // namespace zerocts::plan
