// Random requests for every plan: odd sizes, scalars, parameters without elements, runs of kinds, more ranks than
// elements.
#pragma once
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "impl/layout/plans.hpp"

namespace zerocts::engine {

/// min <= x < max, from the first case on as likely large as small.
template <typename T>
rc::Gen<T> Uniform(T min, T max) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange(min, max));
}

inline PlanParameter AnyPlanParameter(int index) {
  PlanParameter parameter;
  const int dimensions = *Uniform(0, 4);
  for (int d = 0; d < dimensions; ++d) {
    parameter.shape.push_back(
        *rc::gen::weightedOneOf<int64_t>({{1, rc::gen::just<int64_t>(0)}, {15, Uniform<int64_t>(1, 8)}}));
  }
  parameter.kind = *Uniform(0, 2);
  const int block = *Uniform(-1, 5);
  const std::string suffix(static_cast<size_t>(index), 'x');
  parameter.name = block < 0 ? "head." + suffix : "block" + std::to_string(block) + "." + suffix;
  return parameter;
}

inline PlanRequest AnyPlanRequest(const std::string& plan) {
  PlanRequest request;
  request.plan = plan;
  const int parameters = *Uniform(0, 12);
  for (int p = 0; p < parameters; ++p) request.parameters.push_back(AnyPlanParameter(p));
  request.shards = *rc::gen::oneOf(Uniform(1, 9), Uniform(1, 65));
  request.bucket_numel = *rc::gen::element<int64_t>(0, 0, 1, 7, 40, 200);
  if (plan == "padded") request.alignment = *rc::gen::element<int64_t>(1, 2, 3, 32);
  return request;
}

inline PlanRequest AnyPlanRequest() { return AnyPlanRequest(*rc::gen::elementOf(PlanNames())); }

/// Parameters of one dimension each, all of one kind.
inline PlanRequest RequestOf(const std::string& plan, const std::vector<int64_t>& numel, int shards,
                             int64_t bucket_numel = 0) {
  PlanRequest request{plan, {}, shards, bucket_numel};
  for (size_t p = 0; p < numel.size(); ++p)
    request.parameters.push_back({"block" + std::to_string(p) + ".weight", {numel[p]}});
  return request;
}

}  // namespace zerocts::engine
