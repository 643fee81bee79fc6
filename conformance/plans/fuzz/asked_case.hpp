// One request put to a planner, in as many ways as properties need: once, again, to another process, by other ranks.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/plans/fuzz/answer.hpp"
#include "conformance/plans/fuzz/planner.hpp"
#include "reference/plan/judge/judge.hpp"

namespace zerocts {

/// A planner in two processes, with different seeds of Python's hashes.
class AskedPlanner {
 public:
  explicit AskedPlanner(const MakePlanner& make) : first_(make(0)), other_(make(1)) {}
  Planner& first() { return *first_; }
  Planner& other() { return *other_; }

  /// Throws PlannerEnded. Where no line of an answer came, the line says that it failed.
  std::string Ask(Planner& planner, const std::string& request);
  int64_t answers() const { return answers_; }

 private:
  std::unique_ptr<Planner> first_, other_;
  int64_t answers_ = 0;
};

class AskedCase {
 public:
  AskedCase(AskedPlanner& planner, PlanningRequest request)
      : planner_(planner), request_(std::move(request)), model_text_(ModelText(request_.model)) {}

  /// The planner's line for a request with the same model. Throws PlannerEnded.
  std::string LineFor(const PlanningRequest& request);
  std::string LineFromAnotherProcess() { return planner_.Ask(planner_.other(), RequestLine(request_, model_text_)); }
  /// The planner's line for any request.
  std::string LineForAnotherModel(const PlanningRequest& request);
  const PlanningRequest& request() const { return request_; }

  // Asked when first needed.
  const std::string& line();
  const Answer& answer();
  const plan::Verdict& verdict();  // of a plan
  /// There is a plan, and it is sound.
  bool sound() { return answer().plan && verdict().sound(); }
  /// The same model on W + 1 and on 2 W shards, where a plan may have so many.
  std::vector<AskedCase>& on_more_ranks();

 private:
  AskedPlanner& planner_;
  const PlanningRequest request_;
  const std::string model_text_;
  std::optional<std::string> line_;
  std::optional<Answer> answer_;
  std::optional<plan::Verdict> verdict_;
  std::optional<std::vector<AskedCase>> on_more_ranks_;
};

}  // namespace zerocts
