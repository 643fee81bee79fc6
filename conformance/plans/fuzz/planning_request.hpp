// What a planner is asked: a model, the ranks, how much is divided, and what the plan must keep to. It travels as one
// line of JSON:
//   {"format": "zerocts-planning-request", "version": 1, "mesh": [{"axis": "replicate", "size": 1},
//    {"axis": "shard", "size": 2}], "stage": 3, "rank": 0, "bucket": 0, "alignment": 1, "options": {}, "model": [..]}
// The model is as in plans (reference/plan/forms/plan.schema.json). The answer is a plan, also on one line; "mesh" and
// "model" may be left out of it, they are those of the request.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "reference/plan/value/plan.hpp"

namespace zerocts {

struct PlanningRequest {
  plan::Model model;
  int replicas = 1, shards = 1;    // the mesh: replicate x shard
  int stage = 3;                   // 0 divides nothing, 1 the optimizer state, 2 gradients too, 3 parameters too
  int rank = 0;                    // who asks; all must get one answer
  int64_t bucket = 0;              // elements that travel together; 0: the planner's own choice
  int64_t alignment = 1;           // as a plan promises it
  std::optional<int64_t> balance;  // as above
  std::map<std::string, std::string> options;  // of the planner, passed on as they are

  friend bool operator==(const PlanningRequest&, const PlanningRequest&) = default;
};

/// One line, without its end. `model` is ModelText of its model, for who asks for one model often.
std::string RequestLine(const PlanningRequest& request, const std::string& model);
std::string RequestLine(const PlanningRequest& request);
std::string ModelText(const plan::Model& model);

/// Throws std::invalid_argument: which field, what was expected, what was got.
PlanningRequest RequestFromText(std::string_view text);

/// "2 tensors of 12 elements, 3 shards x 2 replicas, stage 3"
std::string ToString(const PlanningRequest& request);

}  // namespace zerocts
