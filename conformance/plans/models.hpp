// Models as a user names them: a file with shapes, one of our sizes, a GPT by numbers, or a number of elements.
#pragma once
#include <optional>
#include <string>

#include "reference/model/model_spec.hpp"
#include "reference/plan/value/plan.hpp"

namespace zerocts {

/// "tiny", "gpt2-xl", "llama-3-8b", "gpt:layers=24,width=1024", "350M" (so many elements in one tensor), or a path:
/// JSON of tensors, a safetensors file, a Hugging Face index. Throws UsageError naming the choices, or what is wrong
/// with the file.
plan::Model ModelNamed(const std::string& word);
/// One of our sizes or a GPT by numbers; nothing: the word names no GPT. Throws UsageError for numbers that make none.
std::optional<GptSpec> GptNamed(const std::string& word);
std::string ModelChoices();

}  // namespace zerocts
