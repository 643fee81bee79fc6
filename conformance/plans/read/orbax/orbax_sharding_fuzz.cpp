// `_sharding` of orbax, up to the verdict over the blocks that it asks for.
#include "conformance/plans/read/orbax/orbax_blocks.hpp"
#include "conformance/plans/read/orbax/orbax_sharding.hpp"
#include "reference/experiment/fuzz_target_for_test.hpp"
#include "reference/plan/judge/judge.hpp"
#include "reference/plan/runs/problem.hpp"

namespace zerocts {
namespace {

constexpr int kMostJudged = 64;  // shards: more are refused or not by the same lines, and slow

/// The smallest array that the sharding divides, of one dimension more than its spec has.
plan::Tensor LeastArray(const std::string& name, const read::OrbaxSharding& sharding) {
  plan::Tensor tensor{.name = name, .shape = {}};
  for (size_t d = 0; d <= sharding.spec.size(); ++d) tensor.shape.push_back(sharding.PartsOf(d));
  return tensor;
}

}  // namespace

std::vector<std::string> FuzzSeeds() {
  return {
      R"({"YQ==":"{\"sharding_type\": \"NamedSharding\", \"shape\": [2, 3], \"axis_names\": [\"x\", \"y\"], )"
      R"(\"axis_types\": [\"AxisType.Auto\", \"AxisType.Auto\"], \"partition_spec\": [[\"y\", \"x\"], null], )"
      R"(\"device_mesh\": {\"mesh\": [[{\"id\": 0}, {\"id\": 1}, {\"id\": 2}], [{\"id\": 3}, {\"id\": 4}, {\"id\": 5}]]}}"})",
      R"({"Yg==":"{\"sharding_type\": \"SingleDeviceSharding\", \"device_str\": \"cpu:0\"}",)"
      R"("dw==":"{\"sharding_type\": \"NamedSharding\", \"shape\": [3], \"axis_names\": [\"x\"], \"partition_spec\": [null, \"x\"]}",)"
      R"("YQ==":"{\"sharding_type\": \"NamedSharding\", \"shape\": [3], \"axis_names\": [\"x\"], \"partition_spec\": []}"})"};
}

void FuzzOne(std::string_view bytes) {
  ReadOrRefuse<std::invalid_argument>(bytes, [&] {
    const auto shardings = read::OrbaxShardingsFrom(bytes);
    const read::OrbaxShards shards(shardings);
    if (shards.count > kMostJudged) return;
    read::OrbaxBlocks blocks(shards);
    std::vector<read::StoredTensor> tensors;
    for (const auto& [name, sharding] : shardings) tensors.push_back(blocks.Of(LeastArray(name, sharding), sharding));
    read::Reading reading;
    read::SetPlanOf(tensors, shards.mesh.mesh, shards.axes, reading);
    const bool sound = plan::Problem(reading.plan).empty() && plan::Judge(reading.plan).sound();
    if (!sound || !reading.faults.empty()) std::abort();  // whatever the mesh, its blocks are the whole array
  });
}

}  // namespace zerocts
