#include "conformance/plans/fuzz/asked_case.hpp"

#include <nlohmann/json.hpp>

namespace zerocts {

std::string AskedPlanner::Ask(Planner& planner, const PlanningRequest& request) {
  ++answers_;
  try {
    return planner.Answer(RequestLine(request));
  } catch (const NoAnswer& none) {
    return nlohmann::json({{"failed", none.what()}}).dump();
  }
}

const std::string& AskedCase::line() {
  if (!line_) line_ = planner_.Ask(planner_.first(), request_);
  return *line_;
}

const Answer& AskedCase::answer() {
  if (!answer_) answer_ = ReadAnswer(line(), request_);
  return *answer_;
}

const plan::Verdict& AskedCase::verdict() {
  if (!verdict_) verdict_ = Judge(*answer().plan);
  return *verdict_;
}

}  // namespace zerocts
