#include "impl/subject/checkpoint_index.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "reference/experiment/experiment_json.hpp"
#include "reference/experiment/json_readers.hpp"

namespace zerocts {

using nlohmann::json;

namespace {

/// Exactly the double: its shortest decimal text reads back to the same bits.
double DoubleFrom(JsonFields& fields, const std::string& name) {
  const json& value = fields.Any(name);
  if (!value.is_number()) ThrowUnexpected(fields.PathOf(name), "a number", value);
  return value.get<double>();
}

json ToJson(const LossScaleState& state) {
  return {{"scale", FloatToJson(state.scale)}, {"good_steps", state.good_steps}, {"patience", state.patience}};
}

LossScaleState LossScaleFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  const LossScaleState state{fields.Float("scale"), fields.Integer("good_steps"), fields.Integer("patience")};
  fields.ExpectNoOthers();
  return state;
}

json ToJson(const SavedParameter& saved) {
  return {{"shape", saved.shape},
          {"frozen", saved.frozen},
          {"steps", saved.products.steps},
          {"momentum_steps", saved.products.momentum_steps},
          {"beta1_product", saved.products.beta1},
          {"beta2_product", saved.products.beta2}};
}

SavedParameter ParameterFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  SavedParameter saved;
  saved.shape = IntegersFrom(fields.Array("shape"), fields.PathOf("shape"));
  saved.frozen = fields.Bool("frozen");
  saved.products.steps = fields.Integer("steps");
  saved.products.momentum_steps = fields.Integer("momentum_steps");
  saved.products.beta1 = DoubleFrom(fields, "beta1_product");
  saved.products.beta2 = DoubleFrom(fields, "beta2_product");
  fields.ExpectNoOthers();
  return saved;
}

json ToJson(const CheckpointIndex& index) {
  json parameters = json::object();
  for (const auto& [name, saved] : index.parameters) parameters[name] = ToJson(saved);
  return {{"format", kCheckpointFormat},
          {"files", index.files},
          {"optimizer", ToString(index.optimizer)},
          {"steps", index.steps},
          {"loss_scale", ToJson(index.loss_scale)},
          {"groups", ArrayOf(index.groups, [](const HyperParameters& values) { return zerocts::ToJson(values); })},
          {"parameters", std::move(parameters)}};
}

CheckpointIndex IndexFrom(const json& value) {
  JsonFields fields(value, "checkpoint");
  const std::string format = fields.Text("format");
  if (format != kCheckpointFormat) ThrowUnexpected(fields.PathOf("format"), kCheckpointFormat, format);
  CheckpointIndex index;
  index.files = ItemsFrom<std::string>(fields, "files", [](const json& file, const std::string& path) {
    if (!file.is_string()) ThrowUnexpected(path, "the name of a file", file);
    return file.get<std::string>();
  });
  index.optimizer = EnumFrom(fields, "optimizer", OptimizerKindFromString);
  index.steps = fields.Integer("steps", 0);
  index.loss_scale = LossScaleFrom(fields.Any("loss_scale"), fields.PathOf("loss_scale"));
  index.groups = ItemsFrom<HyperParameters>(fields, "groups", HyperParametersFrom);
  for (const auto& [name, saved] : fields.Any("parameters").items()) {
    index.parameters[name] = ParameterFrom(saved, fields.PathOf("parameters") + "." + name);
  }
  fields.ExpectNoOthers();
  return index;
}

const SavedParameter& FindSaved(const CheckpointIndex& index, const ParameterSpec& spec) {
  const auto found = index.parameters.find(spec.name);
  if (found == index.parameters.end()) {
    throw std::invalid_argument(
        fmt::format("the checkpoint has no parameter {}: load one of the same model", spec.name));
  }
  if (found->second.shape != spec.shape) {
    throw std::invalid_argument(
        fmt::format("parameter {} has shape [{}], in the checkpoint [{}]: load one of the same model", spec.name,
                    fmt::join(spec.shape, ","), fmt::join(found->second.shape, ",")));
  }
  return found->second;
}

}  // namespace

CheckpointIndex IndexOf(const Engine& engine, std::vector<std::string> files) {
  const EngineProgress progress = engine.Progress();
  CheckpointIndex index{.files = std::move(files),
                        .optimizer = engine.settings().optimizer.kind,
                        .steps = progress.steps,
                        .loss_scale = progress.loss_scale,
                        .groups = progress.groups,
                        .parameters = {}};
  for (size_t p = 0; p < progress.products.size(); ++p) {
    const ParameterSpec& spec = engine.settings().parameters[p].spec;
    const bool added =
        index.parameters.emplace(spec.name, SavedParameter{spec.shape, progress.products[p], progress.frozen[p]})
            .second;
    if (!added)
      throw std::invalid_argument("two parameters are called " + spec.name +
                                  ": a checkpoint tells them by their names");
  }
  return index;
}

EngineProgress ProgressFrom(const CheckpointIndex& index, const EngineSettings& settings) {
  const auto expect = [](bool holds, const std::string& what, const auto& expected, const auto& got) {
    if (!holds)
      throw std::invalid_argument(fmt::format("the checkpoint is of {} {}: expected {}", got, what, expected));
  };
  const OptimizerKind kind = settings.optimizer.kind;
  expect(index.optimizer == kind, "as optimizer", ToString(kind), ToString(index.optimizer));
  expect(index.groups.size() == settings.groups.size(), "groups", settings.groups.size(), index.groups.size());
  expect(index.parameters.size() == settings.parameters.size(), "parameters", settings.parameters.size(),
         index.parameters.size());
  EngineProgress progress{index.steps, index.loss_scale, index.groups, {}, {}};
  for (const EngineParameter& parameter : settings.parameters) {
    const SavedParameter& saved = FindSaved(index, parameter.spec);
    progress.products.push_back(saved.products);
    progress.frozen.push_back(saved.frozen);
  }
  return progress;
}

void WriteIndex(const CheckpointIndex& index, const std::string& path) {
  std::ofstream file(path);
  file << ToJson(index).dump(2) << "\n";
  file.close();
  if (!file) throw std::runtime_error(fmt::format("{}: cannot be written ({})", path, std::strerror(errno)));
}

CheckpointIndex ReadIndex(const std::string& path) {
  std::ifstream file(path);
  try {
    if (!file) throw std::invalid_argument("expected a file that can be read, got none");
    const json value = json::parse(file, nullptr, /*allow_exceptions=*/false);
    if (value.is_discarded())
      throw std::invalid_argument("expected JSON, got a file that is cut off or something else");
    return IndexFrom(value);
  } catch (const std::invalid_argument& wrong) {
    throw std::runtime_error(fmt::format("{}: {}; load a checkpoint that is whole", path, wrong.what()));
  }
}

}  // namespace zerocts
