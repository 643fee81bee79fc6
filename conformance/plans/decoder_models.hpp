// Public decoder models by name, with the names and shapes of their checkpoints at Hugging Face.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "reference/plan/value/plan.hpp"

namespace zerocts {

/// "llama-3-8b", "llama-3-70b", "mixtral-8x7b"
std::vector<std::string> DecoderNames();
std::optional<plan::Model> DecoderNamed(const std::string& name);

}  // namespace zerocts
