// For tests: small models trained on a text.
#pragma once
#include "reference/experiment/data.hpp"
#include "reference/experiment/experiment.hpp"
#include "reference/experiment/temporary_text.hpp"

namespace zerocts {

inline constexpr char kText[] =
    "One who splits a batch over ranks adds the same numbers in another order, unless the order is a tree over the "
    "micro-batches and not over the ranks; then nobody can tell how many there were.\n";

inline Experiment TextExperiment(const TemporaryText& text,
                                 const ModelSpec& model = MlpSpec{
                                     .vocab = 128, .context = 4, .embedding = 6, .hidden = {24}}) {
  Experiment e;
  SetModel(e, model);
  e.initial = InitialValues::kModel;
  e.gradients = GradientSource::kModel;
  e.optimizer = OptimizerKind::kAdamW;
  e.groups = {{.lr = 0.01f, .weight_decay = 0.01f}, {.lr = 0.01f}};
  e.max_norm = 1.0f;
  e.world_size = 8;
  e.batch = 4;
  e.steps = 20;
  e.text = text.path();
  e.text_hash = TextCorpus::Load(e.text).hash();
  return e;
}

}  // namespace zerocts
