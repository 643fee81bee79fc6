#include "conformance/plans/fuzz/drawn_request.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "conformance/plans/fuzz/answer.hpp"
#include "reference/plan/runs/problem.hpp"

namespace zerocts {
namespace {

std::vector<PlanningRequest> Drawn(const RequestSpace& space, int count) {
  const rc::Gen<PlanningRequest> requests = RequestsOf(space);
  rc::Random random(1);
  std::vector<PlanningRequest> drawn;
  for (int i = 0; i < count; ++i) drawn.push_back(requests(random.split(), 0).value());
  return drawn;
}

template <typename Predicate>
int CountIf(const std::vector<PlanningRequest>& requests, Predicate predicate) {
  return static_cast<int>(std::count_if(requests.begin(), requests.end(), predicate));
}

template <typename Predicate>
auto AnyTensor(Predicate predicate) {
  return [predicate](const PlanningRequest& request) {
    return std::any_of(request.model.begin(), request.model.end(),
                       [&](const plan::Tensor& tensor) { return predicate(request, tensor); });
  };
}

TEST(DrawnRequests, ReachTheBoundaries) {
  const std::vector<PlanningRequest> drawn = Drawn({}, 500);
  using R = PlanningRequest;
  using T = plan::Tensor;
  EXPECT_GE(CountIf(drawn, AnyTensor([](const R&, const T& t) { return t.numel() == 0; })), 50);
  EXPECT_GE(CountIf(drawn, AnyTensor([](const R&, const T& t) { return t.numel() == 1; })), 50);
  EXPECT_GE(CountIf(drawn, AnyTensor([](const R& r, const T& t) { return t.numel() == r.shards - 1; })), 50);
  EXPECT_GE(CountIf(drawn, AnyTensor([](const R& r, const T& t) { return t.numel() == r.shards + 1; })), 50);
  EXPECT_GE(CountIf(drawn, AnyTensor([](const R&, const T& t) { return t.numel() > int64_t{1} << 32; })), 50);
  EXPECT_GE(CountIf(drawn, AnyTensor([](const R&, const T& t) { return t.numel() == int64_t{1} << 31; })), 5);
  EXPECT_GE(CountIf(drawn, AnyTensor([](const R&, const T& t) { return t.tied_to >= 0; })), 50);
  EXPECT_GE(CountIf(drawn, AnyTensor([](const R&, const T& t) { return t.frozen; })), 50);
  EXPECT_GE(CountIf(drawn, AnyTensor([](const R&, const T& t) { return t.group > 0; })), 50);
  EXPECT_GE(CountIf(drawn, AnyTensor([](const R&, const T& t) { return t.shape.size() == 4; })), 50);
  EXPECT_GE(CountIf(drawn, AnyTensor([](const R&, const T& t) { return t.shape.empty(); })), 5);
  EXPECT_GE(CountIf(drawn, [](const R& r) { return r.model.empty(); }), 5);
  EXPECT_GE(CountIf(drawn, [](const R& r) { return r.model.size() > 1000; }), 1);
  EXPECT_GE(CountIf(drawn, [](const R& r) { return r.model.size() <= 50; }), 251) << "the median";
  EXPECT_GE(CountIf(drawn, [](const R& r) { return r.replicas > 1; }), 50);
  EXPECT_GE(CountIf(drawn, [](const R& r) { return r.shards == 1; }), 20);
}

TEST(DrawnRequests, AreReadBackAsWritten) {
  RequestSpace space{
      .most_tensors = 20, .buckets = {0, 8}, .alignments = {1, 4}, .balance = 3, .options = {{"a", "b"}}};
  for (const PlanningRequest& request : Drawn(space, 100)) {
    EXPECT_EQ(plan::Problem({.model = request.model}), "");
    EXPECT_EQ(RequestFromText(RequestLine(request)), request);
  }
}

TEST(DrawnRequests, ShrinkToRequestsThatMakeSense) {
  for (const PlanningRequest& request : Drawn({.most_tensors = 6}, 50)) {
    for (const PlanningRequest& simpler : SimplerRequests(request)) {
      EXPECT_NE(simpler, request);
      EXPECT_EQ(plan::Problem({.model = simpler.model}), "");
      EXPECT_LT(simpler.rank, simpler.replicas * simpler.shards);
      EXPECT_LE(simpler.model.size(), request.model.size());
      for (const plan::Tensor& tensor : simpler.model) {
        if (tensor.tied_to < 0) continue;
        EXPECT_EQ(tensor.shape, simpler.model[tensor.tied_to].shape);
      }
    }
  }
}

TEST(DrawnRequests, ShrinkToTheEnd) {
  PlanningRequest request = Drawn({}, 1).front();
  for (std::vector<PlanningRequest> simpler; !(simpler = SimplerRequests(request)).empty();) request = simpler.front();
  EXPECT_TRUE(request.model.empty());
  EXPECT_EQ(request.shards * request.replicas, 1);
}

std::string ProblemOf(const std::string& answer) {
  return ReadAnswer(answer, {.model = {{.name = "w", .shape = {4}}}, .shards = 2}).problem;
}

std::string AnswerWith(const std::string& parameters, const std::string& rest = "") {
  return R"({"format": "zerocts-plan", "version": 1, "gradients": "parameters", "optimizer": "parameters")" + rest +
         R"(, "parameters": )" + parameters + "}";
}

TEST(Answer, SaysWhatIsNoPlan) {
  const std::string even = R"({"axes": ["shard"], "divisions": [{"rule": "even"}]})";
  EXPECT_EQ(ProblemOf(AnswerWith(even)), "");
  EXPECT_EQ(ProblemOf(""), "line 1, column 1: expected a value, got the end of the text");
  EXPECT_NE(ProblemOf(AnswerWith(even, R"(, "alignment": NaN)")), "");
  EXPECT_NE(ProblemOf(AnswerWith(even, R"(, "alignment": -1)")), "");
  EXPECT_NE(ProblemOf(AnswerWith(even, R"(, "alignment": 1e30)")), "");
  EXPECT_NE(ProblemOf(AnswerWith(even, R"(, "alignment": 1000000000000000000000000000000)")), "");
  EXPECT_NE(ProblemOf(AnswerWith(
                R"({"axes": ["shard"], "divisions": [{"rule": "intervals", "intervals": [[0, 1e30, 0]]}]})")),
            "");
  EXPECT_EQ(ProblemOf(R"({"shards": [1, 2]})"), "plan.format: expected this field, it is missing");
  EXPECT_EQ(ProblemOf(R"({"failed": "no memory"})"), "it says: no memory");
  EXPECT_EQ(ReadAnswer(R"({"unimplemented": "no stage 3"})", {}).refusal, "it says: no stage 3");
}

TEST(Answer, IsJudgedByWhatWasAskedFor) {
  const PlanningRequest request{.model = {{.name = "w", .shape = {6}}}, .shards = 2, .alignment = 4, .balance = 1};
  const std::string even = R"({"axes": ["shard"], "divisions": [{"rule": "even"}]})";
  const plan::Plan plan = ReadAnswer(AnswerWith(even, R"(, "alignment": 2, "balance": 5)"), request).plan.value();
  EXPECT_EQ(plan.alignment, 4);
  EXPECT_EQ(plan.balance, 1);
}

}  // namespace
}  // namespace zerocts
