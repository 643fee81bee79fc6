// The planners of reference/plan/for_test/faulty_planners.hpp as they answer requests.
#pragma once
#include <functional>
#include <string>

#include "conformance/plans/fuzz/planner.hpp"
#include "conformance/plans/fuzz/planning_request.hpp"
#include "reference/plan/for_test/faulty_planners.hpp"
#include "reference/plan/forms/plan_json.hpp"

namespace zerocts {

/// States that the stage does not divide are whole.
inline plan::Plan OfStage(plan::Plan plan, int stage) {
  for (int state = 0; state < 3 - stage; ++state) plan.sharding_of[state] = plan::Plan::kWhole;
  return plan;
}

/// `plan_of` makes a plan from a request.
template <typename PlanOf>
MakePlanner AnsweringBy(PlanOf plan_of) {
  return [plan_of](int) {
    return PlannerOf([plan_of](const std::string& line) {
      std::string text = JsonText(plan_of(RequestFromText(line)));
      for (char& c : text) c = c == '\n' ? ' ' : c;
      return text;
    });
  };
}

inline MakePlanner AnsweringBy(const std::function<plan::Plan(const plan::PlannerCase&)>& planner) {
  return AnsweringBy([planner](const PlanningRequest& request) {
    return OfStage(planner({request.model, request.replicas, request.shards}), request.stage);
  });
}

}  // namespace zerocts
