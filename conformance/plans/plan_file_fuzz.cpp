// Plan files: JSON of ours, affine maps, and CSV, which is what does not begin like JSON. What is read is judged, and
// reads back from our JSON as the same plan.
#include "conformance/plans/plan_file.hpp"
#include "reference/experiment/fuzz_target_for_test.hpp"
#include "reference/plan/forms/plan_json.hpp"
#include "reference/plan/judge/judge.hpp"

namespace zerocts {
namespace {

// What is larger is judged by the same lines, and slowly.
constexpr int kMostJudgedRanks = 1024;
constexpr int64_t kMostJudgedElements = int64_t{1} << 20;

bool IsSmall(const plan::Plan& plan) {
  int64_t elements = 0;
  for (const plan::Tensor& tensor : plan.model) elements += tensor.numel();
  return plan.mesh.world_size() <= kMostJudgedRanks && elements <= kMostJudgedElements;
}

}  // namespace

std::vector<std::string> FuzzSeeds() {
  return {
      R"({"format": "zerocts-plan", "version": 1, "mesh": [{"axis": "replicate", "size": 2}, {"axis": "shard", "size": 3}],)"
      R"( "model": [{"name": "a", "shape": [7, 5]}, {"name": "b", "shape": [7], "dtype": "bf16", "frozen": true}],)"
      R"( "parameters": "whole", "gradients": {"axes": ["shard"], "divisions": [{"rule": "even"}]},)"
      R"( "optimizer": {"axes": ["shard"], "divisions": [{"rule": "rows", "dimension": 0}]}})",
      "state,parameter,rank,begin,end\nparameters,a,0,0,4\nparameters,a,1,4,7\noptimizer,a,1,0,7\n",
      R"({"affine_map": {"version": 1, "^a$": {"logical_shape": [4, 3], "ranks": {"0": {"shard_shape": [2, 3], "pieces":)"
      R"( [{"shape": [2, 3], "source": [0, [3, 1]], "dest": [0, [3, 1]], "locations": [0]}]}, "1": {"shard_shape": [2, 3],)"
      R"( "pieces": [{"shape": [2, 3], "source": [6, [3, 1]], "dest": [0, [3, 1]], "locations": [1]}]}}}}})"};
}

void FuzzOne(std::string_view bytes) {
  ReadOrRefuse<std::invalid_argument>(bytes, [&] {
    const bool is_json = bytes.starts_with("{") || bytes.starts_with("[");
    const plan::Plan plan = PlanFromFileText(bytes, !is_json);
    if (plan::PlanFromText(JsonText(plan)) != plan) std::abort();
    if (IsSmall(plan)) plan::Judge(plan);
  });
}

}  // namespace zerocts
