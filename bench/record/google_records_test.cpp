#include "bench/record/google_records.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "reference/experiment/json_text.hpp"

namespace zerocts {
namespace {

// As Google Benchmark 1.7.1 writes it, shortened.
constexpr const char* kOutput = R"({
  "context": {"date": "2026-11-25T02:00:00+00:00", "host_name": "somebody", "num_cpus": 2},
  "benchmarks": [
    {"name": "Gemm/64", "family_index": 0, "per_family_instance_index": 0, "run_name": "Gemm/64",
     "run_type": "iteration", "repetitions": 2, "repetition_index": 0, "threads": 1, "iterations": 5,
     "real_time": 2.5, "cpu_time": 2.4, "time_unit": "ms", "Gflop/s": 40.0, "openblas": 50.0, "ratio": 0.8},
    {"name": "Gemm/64", "run_name": "Gemm/64", "run_type": "iteration", "repetition_index": 1, "iterations": 5,
     "real_time": 3.5, "cpu_time": 2.4, "time_unit": "ms", "Gflop/s": 30.0, "openblas": 50.0, "ratio": 0.6},
    {"name": "Gemm/64_mean", "run_name": "Gemm/64", "run_type": "aggregate", "aggregate_name": "mean",
     "iterations": 2, "real_time": 3.0, "cpu_time": 2.4, "time_unit": "ms"},
    {"name": "Flat", "run_name": "Flat", "run_type": "iteration", "iterations": 1, "real_time": 5e5,
     "cpu_time": 1, "time_unit": "ns", "promised s": 0.01},
    {"name": "Broken", "run_name": "Broken", "run_type": "iteration", "error_occurred": true,
     "error_message": "a tensor was lost", "iterations": 0, "real_time": 0.0, "cpu_time": 0.0, "time_unit": "ns"}
  ]})";

TEST(GoogleRecords, AreTimesAndCountersWithTheirBounds) {
  const Figures figures = FiguresOfGoogle("zerocts_bench", ParseJson(kOutput));
  const std::vector<BenchRecord>& records = figures.records();
  ASSERT_EQ(records.size(), 5u);
  EXPECT_EQ(records[0].name, "zerocts_bench/Gemm/64");
  EXPECT_DOUBLE_EQ(*records[0].value, 3e-3);
  EXPECT_EQ(records[0].samples.size(), 2u);
  EXPECT_EQ(records[1].name, "zerocts_bench/Gemm/64:Gflop/s");
  EXPECT_EQ(records[1].unit, "Gflop/s");
  EXPECT_EQ(records[1].value, 35);
  EXPECT_EQ(records[1].direction, Direction::kBigger);
  ASSERT_TRUE(records[1].bound);
  EXPECT_EQ(records[1].bound->name, "openblas");
  EXPECT_EQ(records[1].bound->value, 50);
  EXPECT_EQ(records[2].name, "zerocts_bench/Gemm/64:ratio");
  EXPECT_FALSE(records[2].bound);
  EXPECT_DOUBLE_EQ(*records[3].value, 5e-4);
  EXPECT_EQ(records[3].bound->value, 0.01);
  EXPECT_EQ(records[4].error, "a tensor was lost");
  for (const BenchRecord& record : records) EXPECT_EQ(LineOf(record).find("somebody"), std::string::npos);
}

TEST(GoogleRecords, OfAnotherShapeAreRefusedInASentence) {
  const auto refusal = [](const char* text) -> std::string {
    try {
      FiguresOfGoogle("p", ParseJson(text));
    } catch (const std::invalid_argument& wrong) {
      return wrong.what();
    }
    return "nothing was refused";
  };
  EXPECT_EQ(refusal("{}"), "output.benchmarks: expected this field, it is missing");
  EXPECT_EQ(refusal(R"({"benchmarks": []})"), "output.benchmarks: expected at least one benchmark, got []");
  EXPECT_EQ(refusal(R"({"benchmarks": [{"name": "a", "time_unit": "ns"}]})"),
            "output.benchmarks[0].real_time: expected a number, got null");
  EXPECT_EQ(refusal(R"({"benchmarks": [{"name": "a", "time_unit": "h", "real_time": 1}]})"),
            R"(output.benchmarks[0].time_unit: expected ns, us, ms or s, got "h")");
}

}  // namespace
}  // namespace zerocts
