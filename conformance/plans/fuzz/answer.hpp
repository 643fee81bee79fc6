// What a planner answered, read and held against what it was asked.
#pragma once
#include <optional>
#include <string>

#include "conformance/plans/fuzz/planning_request.hpp"

namespace zerocts {

struct Answer {
  std::optional<plan::Plan> plan;  // with the alignment and balance that were asked for
  std::string refusal;             // "": not refused; else why the planner does not offer what was asked
  std::string problem;             // "": none; else why it is no plan
};

/// Reads the answer to `request` from one line.
Answer ReadAnswer(const std::string& line, const PlanningRequest& request);

/// "" or how the plan answers something else than the request: another model, other ranks, other states divided.
std::string AnswersSomethingElse(const plan::Plan& plan, const PlanningRequest& request);

/// A line of JSON that says so.
std::string RefusalLine(const std::string& why);

}  // namespace zerocts
