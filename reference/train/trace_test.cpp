#include "reference/train/trace.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "reference/experiment/experiment_json.hpp"
#include "reference/experiment/hash.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

Experiment SmallExperiment() {
  Experiment e;
  e.parameters = {{"a", {2}, 0}, {"b", {3}, 1}};
  e.groups = {{.lr = 0.1f}, {.lr = 0.25f}};
  e.world_size = 3;
  e.steps = 2;
  e.optimizer = OptimizerKind::kAdamW;
  e.precision = Precision::kBf16;
  return e;
}

TEST(Trace, HoldsAHeaderAndEveryStep) {
  const Experiment e = SmallExperiment();
  const ReductionOrder order = UniformOrder(e, RankFold(3, 1));
  std::ostringstream out;
  TraceWriter writer(out, e, order, "portable");
  const std::vector<StepTrace> steps = Train(e, order, HostOps());
  for (const StepTrace& step : steps) writer.Write(step);

  std::vector<json> records;
  std::istringstream lines(out.str());
  for (std::string line; std::getline(lines, line);) records.push_back(json::parse(line));
  ASSERT_EQ(records.size(), 3u);

  EXPECT_EQ(records[0]["record"], "header");
  EXPECT_EQ(ExperimentFromJson(records[0]["experiment"]), e);
  EXPECT_EQ(records[0]["order"], json::parse(R"json([{"begin":0,"end":5,"fold":"((0+1)+2)"}])json"));
  EXPECT_EQ(records[0]["kernels"], "portable");
  EXPECT_EQ(records[0]["arithmetic"]["contracts"], false);

  EXPECT_EQ(records[2]["record"], "step");
  EXPECT_EQ(records[2]["step"], 1);
  EXPECT_EQ(records[2]["lr"], json::parse("[0.1, 0.25]"));
  EXPECT_EQ(records[2]["grad_norm"].get<float>(), steps[1].grad_norm);
  EXPECT_EQ(records[2]["clip_coefficient"], 1.0);
  EXPECT_EQ(records[2]["losses"], json::array());
  EXPECT_EQ(records[2]["hashes"].size(), 10u);  // gradient, master, exp_avg, exp_avg_sq, parameter of a and b
  EXPECT_EQ(records[2]["hashes"]["gradient/b"], HashOf(steps[1].gradient[1]));
  EXPECT_EQ(records[2]["hashes"]["master/b"], HashOf(steps[1].master[1]));
  EXPECT_EQ(records[2]["hashes"]["exp_avg/b"], HashOf(steps[1].moment1[1]));
  EXPECT_EQ(records[2]["hashes"]["exp_avg_sq/b"], HashOf(steps[1].moment2[1]));
  EXPECT_EQ(records[2]["hashes"]["parameter/b"], HashOf(steps[1].parameter[1]));
  EXPECT_NE(steps[1].parameter[1], steps[1].master[1]);  // bf16
  EXPECT_NE(records[2]["hashes"]["master/a"], records[1]["hashes"]["master/a"]);
}

TEST(Trace, NamesTheMomentumOfSgd) {
  Experiment e = SmallExperiment();
  e.optimizer = OptimizerKind::kSgd;
  const auto hashes = TensorHashes(e, Train(e, UniformOrder(e, RankFold(3, 1)), HostOps())[0]);
  EXPECT_EQ(hashes.size(), 8u);
  EXPECT_TRUE(hashes.contains("momentum/a"));
}

}  // namespace
}  // namespace zerocts
