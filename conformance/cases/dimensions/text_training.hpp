// Makes an experiment one that trains a model on text.
#pragma once
#include "conformance/cases/case.hpp"
#include "reference/experiment/data.hpp"

namespace zerocts {

inline void TrainOnText(Experiment& e, const ModelSpec& model, int64_t batch) {
  static const TextCorpus text = TextCorpus::Load(DefaultTextPath());
  e.gradients = GradientSource::kModel;
  e.text = DefaultTextPath();
  e.text_hash = text.hash();
  e.batch = batch;
  SetModel(e, model);
  e.groups.resize(2);  // matrices, biases
}

}  // namespace zerocts
