// What dimensions of models share: to train one on text, and to ask of which kind it is.
#pragma once
#include <string>

#include "conformance/cases/case/case.hpp"
#include "reference/experiment/data.hpp"

namespace zerocts {

/// nullptr where the model is none.
inline const GptSpec* GptOf(const Case& c) {
  return c.experiment.model ? std::get_if<GptSpec>(&*c.experiment.model) : nullptr;
}

inline void TrainOnText(Experiment& e, const ModelSpec& model, int64_t batch) {
  static const std::string path = DefaultTextPath();
  static const TextCorpus text = TextCorpus::Load(path);
  e.gradients = GradientSource::kModel;
  e.text = path;
  e.text_hash = text.hash();
  e.batch = batch;
  SetModel(e, model);
  e.groups.resize(2);  // matrices, biases
}

}  // namespace zerocts
