// Short trainings whose hashes were committed (golden/*.ndjson, written by `zerocts train --trace` from the root) have
// those bits on every compiler, instruction set and number of threads. Runs from the root.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "reference/experiment/experiment_json.hpp"
#include "reference/numerics/arithmetic_canary.hpp"
#include "reference/ops/host_ops.hpp"
#include "reference/train/trace.hpp"
#include "reference/train/trainer.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

std::vector<std::string> GoldenTraces() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator("reference/train/golden")) {
    if (entry.path().extension() == ".ndjson") paths.push_back(entry.path().string());
  }
  std::ranges::sort(paths);
  return paths;
}

std::vector<json> Records(std::istream& in) {
  std::vector<json> records;
  for (std::string line; std::getline(in, line);) records.push_back(json::parse(line));
  return records;
}

/// The trace of the same experiment, computed now.
std::vector<json> Recomputed(const Experiment& e, Ops& ops) {
  std::stringstream trace;
  const ReductionOrder order = UniformOrder(e, TreeFold(e.world_size, e.micro_batches));
  TraceWriter writer(trace, e, order, "any");
  Trainer trainer(e, order, ops);
  for (int64_t step = 0; step < e.steps; ++step) writer.Write(trainer.Step());
  return Records(trace);
}

/// Every field of the golden record; newer traces may say more.
void ExpectEqual(const json& golden, const json& now, const std::string& where) {
  for (const auto& [field, value] : golden.items()) {
    ASSERT_TRUE(now.contains(field)) << where << ", " << field;
    if (value.is_object()) {
      ExpectEqual(value, now[field], where + ", " + field);
    } else {
      ASSERT_EQ(now[field], value) << where << ", " << field << "; arithmetic: "
                                   << (CheckArithmetic().ok() ? "as it should be" : Describe(CheckArithmetic()));
    }
  }
}

class Golden : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Trainings, Golden, testing::ValuesIn(GoldenTraces()),
                         [](const auto& info) { return std::filesystem::path(info.param).stem().string(); });

TEST_P(Golden, HasItsBits) {
  std::ifstream file(GetParam());
  const std::vector<json> golden = Records(file);
  ASSERT_GE(golden.size(), 2u);
  const Experiment e = ExperimentFromJson(golden[0].at("experiment"));
  ASSERT_EQ(std::ssize(golden), e.steps + 1);
  for (const std::string& kernels : HostKernelNames()) {
    for (const int threads : {1, 2}) {
      const std::vector<json> now = Recomputed(e, HostOpsWith(kernels, threads));
      EXPECT_EQ(now[0].at("order"), golden[0].at("order"));
      for (size_t i = 1; i < golden.size(); ++i) {
        const std::string where = kernels + ", " + std::to_string(threads) + " threads, step " + std::to_string(i - 1);
        ASSERT_NO_FATAL_FAILURE(ExpectEqual(golden[i], now[i], where));
      }
    }
  }
}

TEST(Arithmetic, IsWhatEveryBitHereRestsOn) { EXPECT_EQ(Describe(CheckArithmetic()), ""); }

TEST(GoldenTraces, AreThere) { EXPECT_GE(GoldenTraces().size(), 7u); }

}  // namespace
}  // namespace zerocts
