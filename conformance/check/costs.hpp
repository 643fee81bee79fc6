// What a step costs against what its stage has to cost: bytes and calls of the transport, and what runs beside what.
#pragma once
#include <optional>
#include <vector>

#include "conformance/cases/capabilities.hpp"
#include "conformance/cases/case.hpp"
#include "conformance/cases/observation.hpp"
#include "conformance/check/finding.hpp"

namespace zerocts {

/// What a subject declares about its collectives.
struct TrafficLimits {
  Granularity granularity = Granularity::kElement;
  int64_t parameters_per_unit = 0;  // 0: collectives are of buckets, and one bucket holds all
};

/// Bytes that a sharding group may move in one step, over all of its ranks, from the paper's formula: N elements
/// (padded by at most S - 1 per parameter; where rows are not cut, to S of the largest shares), S shards, R replicas,
/// gradients of e_g bytes reduced k times, parameters of e_p bytes
///   gradients    stage 0: 2 (S - 1) N e_g k;  above: (S - 1) N e_g k;  among replicas 2 (R - 1) N e_g k / R
///   parameters   stages 1, 2: (S - 1) N e_p;  stage 3: 2 K (S - 1) N e_p, before forward and backward of K
///                                             micro-batches
struct TrafficBound {
  uint64_t bytes = 0;
  uint64_t calls = 0;  // of reduce-scatter and of all-gather, each, per rank; 0: not bounded
};
TrafficBound TrafficBoundOf(const Case& c, const TrafficLimits& limits = {});

/// Every step within its bound, and something counted where ranks have to meet: what each replica received, and what
/// all of them sent, since a transport may let one rank pass on what another sent.
std::optional<Finding> CheckTraffic(const Case& c, const std::vector<RankObservation>& ranks,
                                    const TrafficLimits& limits = {});

/// Some collective of some rank was under way while that rank computed forward or backward. One rank has nobody to wait
/// for: nothing is demanded of it.
std::optional<Finding> CheckOverlap(const Case& c, const std::vector<RankObservation>& ranks);

}  // namespace zerocts
