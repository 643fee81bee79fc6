// What a step has to move, and what it may move at most, from the paper's formulas.
#pragma once
#include <cstdint>

#include "conformance/cases/capabilities/capabilities.hpp"
#include "conformance/cases/case/case.hpp"

namespace zerocts {

/// What a subject declares about its collectives.
struct TrafficLimits {
  Granularity granularity = Granularity::kElement;
  int64_t parameters_per_unit = 0;  // 0: collectives are of buckets, and one bucket holds all
};

/// The most that a replica may receive in one step, over all of its ranks: N elements (padded by at most S - 1
/// per parameter; where rows are not cut, to S of the largest shares), S shards, R replicas, gradients of e_g bytes
/// reduced k times, parameters of e_p bytes
///   gradients    stage 0: 2 (S - 1) N e_g k;  above: (S - 1) N e_g k;  among replicas 2 (R - 1) N e_g k / R
///   parameters   stages 1, 2: (S - 1) N e_p;  stage 3: 2 K (S - 1) N e_p, before forward and backward of K
///                                             micro-batches
/// A parameter of an expert has the expert's ranks for S. With tensor ranks N are the elements that one of them has,
/// and all of them have so much; beside it, K times on each of the S positions, what they give each other
/// (tensor_traffic.hpp).
struct MostTraffic {
  uint64_t bytes = 0;
  uint64_t scattered_bytes = 0;  // of these: of gradients inside sharding groups, as far as a reduce-scatter needs
  uint64_t calls = 0;            // of reduce-scatter and of all-gather, each, per rank; 0: not bounded
};
MostTraffic MostTrafficOf(const Case& c, const TrafficLimits& limits = {});

/// The least that all ranks together receive in a step, whatever the algorithm: of the W contributions to the gradient
/// of an element W - 1 leave their ranks, summed on the way or not, and the sum comes to each of its C owners (stage 0:
/// W, else R): (W + C - 2) N e, where W counts the ranks that have the element at all. Tensor ranks that all have the
/// same element may reduce it once, W + T C - 2, W counting the ranks with data of their own; what they give each other
/// is added where every parameter is updated. Parameters are not counted, for a subject may gather them when they are
/// read, and reads are left out. `step`: what is updated in it.
uint64_t LeastTrafficOf(const Case& c, int64_t step);

}  // namespace zerocts
