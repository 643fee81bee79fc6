// What the stages of ZeRO are: each shards one thing more over the ranks of a sharding group.
#pragma once

namespace zerocts::engine {

struct Sharding {
  bool optimizer = false;   // stage 1: master weights and moments
  bool gradients = false;   // stage 2: the mean gradient; full gradients exist one sharding unit at a time
  bool parameters = false;  // stage 3: full parameters exist one sharding unit at a time
};

/// `stage` from 0 (nothing: plain data parallelism) to 3.
constexpr Sharding ShardingOf(int stage) { return {stage >= 1, stage >= 2, stage >= 3}; }

}  // namespace zerocts::engine
