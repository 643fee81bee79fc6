#include "impl/subject/model_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "reference/experiment/experiment_json.hpp"

namespace zerocts {

MlpSpec MlpSpecFromText(const char* text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) throw std::invalid_argument(fmt::format("model: expected JSON, got \"{}\"", text));
  return MlpSpecFromJson(json);
}

}  // namespace zerocts
