#include "impl/subject/open/model_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "reference/experiment/experiment_json.hpp"
#include "reference/experiment/json_text.hpp"

namespace zerocts::engine {
namespace {

nlohmann::json ParsedModel(const char* text) {
  try {
    return ParseJson(text);
  } catch (const JsonTextError& wrong) {
    throw std::invalid_argument(fmt::format("model: {}", wrong.what()));
  }
}

}  // namespace

ModelSpec ModelSpecFromText(const char* text) {
  const ModelSpec model = ModelSpecFromJson(ParsedModel(text), "model");
  if (const std::string problem = Problem(model); !problem.empty()) throw std::invalid_argument(problem);
  return model;
}

}  // namespace zerocts::engine
