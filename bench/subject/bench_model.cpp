#include "bench/subject/bench_model.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "conformance/host/system/errors.hpp"
#include "conformance/plans/models.hpp"

namespace zerocts {

int64_t BenchModel::numel() const {
  int64_t sum = 0;
  for (const ParameterSpec& parameter : parameters) sum += parameter.numel();
  return sum;
}

BenchModel BenchModelNamed(const std::string& word) {
  BenchModel model{.name = word, .parameters = {}, .gpt = GptNamed(word)};
  if (model.gpt) {
    model.parameters = ModelParameters(*model.gpt);
    return model;
  }
  for (const plan::Tensor& tensor : ModelNamed(word)) {
    if (tensor.frozen || tensor.tied_to >= 0) {
      throw UsageError(fmt::format("--model {}: expected tensors that are all updated, got \"{}\", which is {}", word,
                                   tensor.name, tensor.frozen ? "frozen" : "tied to another"));
    }
    model.parameters.push_back({.name = tensor.name, .shape = tensor.shape, .group = tensor.group});
  }
  if (word.find('/') != std::string::npos) model.name = std::filesystem::path(word).stem().string();
  return model;
}

}  // namespace zerocts
