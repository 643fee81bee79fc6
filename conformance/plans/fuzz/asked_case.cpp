#include "conformance/plans/fuzz/asked_case.hpp"

#include <nlohmann/json.hpp>

#include "conformance/host/system/interrupt.hpp"
#include "reference/plan/runs/problem.hpp"

namespace zerocts {

std::string AskedPlanner::Ask(Planner& planner, const std::string& request) {
  ThrowIfInterrupted();
  ++answers_;
  try {
    return planner.Answer(request);
  } catch (const NoAnswer& none) {
    return nlohmann::json({{"failed", none.what()}}).dump();
  }
}

std::string AskedCase::LineFor(const PlanningRequest& request) {
  return planner_.Ask(planner_.first(), RequestLine(request, model_text_));
}

std::string AskedCase::LineForAnotherModel(const PlanningRequest& request) {
  return planner_.Ask(planner_.first(), RequestLine(request));
}

const std::string& AskedCase::line() {
  if (!line_) line_ = LineFor(request_);
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

std::vector<AskedCase>& AskedCase::on_more_ranks() {
  if (on_more_ranks_) return *on_more_ranks_;
  on_more_ranks_.emplace();
  for (const int shards : {request_.shards + 1, 2 * request_.shards}) {
    if (shards > plan::kMostRanks / request_.replicas) continue;
    PlanningRequest more = request_;
    more.shards = shards;
    on_more_ranks_->emplace_back(planner_, std::move(more));
  }
  return *on_more_ranks_;
}

}  // namespace zerocts
