// What fits a model when nothing else is said.
#pragma once
#include <array>
#include <string>

#include "reference/model/model_spec.hpp"

namespace zerocts {

struct Recipe {
  ModelSpec model;
  const char *lr, *batch;
};

inline constexpr std::array kModels = {"mlp", "tiny", "small", "gpt2-124m"};

/// Throws UsageError.
Recipe RecipeOf(const std::string& model);

}  // namespace zerocts
