// Cases: replay files, the corpus, and what a rank is told to run.
#include <nlohmann/json.hpp>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/whole/case_json.hpp"
#include "conformance/cases/whole/features.hpp"
#include "reference/experiment/fuzz_target_for_test.hpp"
#include "reference/experiment/json_text.hpp"

namespace zerocts {

std::vector<std::string> FuzzSeeds() {
  Case plain;
  plain.clause = "C-ZERO-001";
  plain.experiment.parameters = {{"w", {3, 5}, 0}, {"b", {}, 0}};
  plain.experiment.world_size = 2;
  plain.experiment.steps = 3;
  Case arranged = plain;
  arranged.stage = 3;
  arranged.experiment.world_size = 4;
  arranged.replicas = 2;
  arranged.gradient_sync = GradientSync::kEveryMicroBatch;
  arranged.overlap = Overlap::kOff;
  arranged.offload = Offload::kParams;
  arranged.checkpoint = {1, CheckpointUse::kResume};
  arranged.checkpoint->damage = {Damage::kCut, 0};
  return {ToJson(plain).dump(), ToJson(arranged).dump()};
}

void FuzzOne(std::string_view bytes) {
  ReadOrRefuse<std::invalid_argument>(bytes, [&] {
    const Case c = CaseFromJson(ParseJson(bytes));
    if (CaseFromJson(ParseJson(ToJson(c).dump())) != c) std::abort();
    Summary(c);
    FeaturesOf(c);
  });
}

}  // namespace zerocts
