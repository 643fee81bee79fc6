// What `zerocts train` trains: an experiment made of options.
#pragma once
#include <array>
#include <string>

#include "reference/experiment/experiment.hpp"
#include "reference/model/model_spec.hpp"

namespace zerocts {

/// Texts as they were typed; an empty one leaves the choice to the model.
struct TrainOptions {
  std::string model = "mlp";  // or a size of GPT
  std::string vocab, context, layers, heads, kv_heads, width, slices, experts;
  bool untied = false, vocab_parallel = false, sequence_parallel = false;
  std::string text, steps = "300", precision = "fp32", optimizer = "adamw", lr, batch, micro_batches = "2",
                    world_size = "1", max_norm = "1", seed = "1";
};

/// Throws UsageError: which option, what was expected, what was got.
Experiment ExperimentOf(const TrainOptions& options);

/// From a file that holds an experiment's JSON, or a trace whose header does. Throws UsageError.
Experiment ExperimentFromFile(const std::string& path);

/// What fits a model when nothing else is said.
struct Recipe {
  ModelSpec model;
  const char *lr, *batch;
};

inline constexpr std::array kModels = {"mlp", "tiny", "small", "gpt2-124m"};

/// Throws UsageError.
Recipe RecipeOf(const std::string& model);

}  // namespace zerocts
