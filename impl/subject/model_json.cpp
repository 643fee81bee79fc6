#include "impl/subject/model_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "reference/experiment/experiment_json.hpp"

namespace zerocts {

ModelSpec ModelSpecFromText(const char* text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) throw std::invalid_argument(fmt::format("model: expected JSON, got \"{}\"", text));
  const ModelSpec model = ModelSpecFromJson(json, "model");
  if (const std::string problem = Problem(model); !problem.empty()) throw std::invalid_argument(problem);
  return model;
}

}  // namespace zerocts
