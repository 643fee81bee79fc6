// What a planner answers, one line, up to the verdict over its plan.
#include "conformance/plans/fuzz/answer.hpp"

#include "reference/experiment/fuzz_target_for_test.hpp"
#include "reference/plan/judge/judge.hpp"
#include "reference/plan/runs/problem.hpp"

namespace zerocts {
namespace {

PlanningRequest Request() {
  return {.model = {{.name = "w", .shape = {7, 5}}, {.name = "b", .shape = {7}, .dtype = plan::Dtype::kBf16}},
          .replicas = 2,
          .shards = 3,
          .stage = 2,
          .balance = 5};
}

}  // namespace

std::vector<std::string> FuzzSeeds() {
  return {R"({"format": "zerocts-plan", "version": 1, "parameters": "whole", "gradients": {"axes": ["shard"],)"
          R"( "divisions": [{"rule": "even"}]}, "optimizer": {"axes": ["shard"], "divisions": [{"tensors": [[0, 1]],)"
          R"( "rule": "even"}, {"tensors": [[1, 2]], "rule": "owners", "owners": [2]}]}})",
          R"({"unimplemented": "stage 2"})", R"({"failed": "KeyError: 'w'"})"};
}

void FuzzOne(std::string_view bytes) {
  static const PlanningRequest request = Request();
  ReadOrRefuse<>(bytes, [&] {
    const Answer answer = ReadAnswer(std::string(bytes), request);
    const int said = answer.plan.has_value() + !answer.refusal.empty() + !answer.problem.empty();
    if (said != 1) std::abort();
    if (!answer.problem.empty())
      ReadOrRefuse<std::invalid_argument>(bytes, [&] { throw std::invalid_argument(answer.problem); });
    if (!answer.plan || !AnswersSomethingElse(*answer.plan, request).empty()) return;
    if (!plan::Problem(*answer.plan).empty()) std::abort();  // a plan that is read has none
    plan::Judge(*answer.plan);
  });
}

}  // namespace zerocts
