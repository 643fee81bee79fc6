#include "conformance/cli/train/recipe.hpp"

#include <fmt/format.h>

#include "conformance/host/system/errors.hpp"

namespace zerocts {

Recipe RecipeOf(const std::string& model) {
  if (model == "mlp") return {MlpSpec{.vocab = 256, .context = 8, .embedding = 16, .hidden = {128}}, "0.01", "32"};
  if (model == "tiny") return {GptSize(model), "0.003", "8"};
  if (model == "small") return {GptSize(model), "0.001", "4"};
  if (model == "gpt2-124m") return {GptSize(model), "0.0006", "1"};
  throw UsageError(fmt::format("--model: expected mlp, tiny, small or gpt2-124m; got '{}'", model));
}

}  // namespace zerocts
