// Experiments: those of `zerocts train --experiment`, of traces and of cases.
#include <nlohmann/json.hpp>

#include "reference/experiment/experiment_json.hpp"
#include "reference/experiment/fuzz_target_for_test.hpp"
#include "reference/experiment/json_text.hpp"

namespace zerocts {

std::vector<std::string> FuzzSeeds() {
  Experiment given;
  given.parameters = {{"w", {3, 5}, 0}, {"b", {}, 0}, {"none", {0, 7}, 0}};
  given.changes = {{1, 0, {}}};
  given.steps = 3;
  given.world_size = 2;
  given.planted = {{0, 0, 0, 0, NonFinite::kNan}};
  Experiment trained;
  trained.model = MlpSpec{.vocab = 5, .context = 2, .embedding = 3, .hidden = {4}};
  trained.parameters = ModelParameters(*trained.model);
  trained.gradients = GradientSource::kModel;
  trained.initial = InitialValues::kModel;
  trained.batch = 2;
  trained.text = "a.txt";
  trained.text_hash = std::string(32, '0');
  Experiment gpt = trained;
  gpt.model = GptSpec{.vocab = 5, .context = 2, .layers = 1, .heads = 1, .width = 2};
  gpt.parameters = ModelParameters(*gpt.model);
  return {ToJson(given).dump(), ToJson(trained).dump(), ToJson(gpt).dump()};
}

void FuzzOne(std::string_view bytes) {
  ReadOrRefuse<std::invalid_argument>(bytes, [&] {
    const Experiment e = ExperimentFromJson(ParseJson(bytes));
    if (ExperimentFromJson(ParseJson(ToJson(e).dump())) != e) std::abort();
    if (!Problem(e).empty()) return;
    FlatOffsets(e);
    GroupsAtStep(e, e.steps - 1);
  });
}

}  // namespace zerocts
