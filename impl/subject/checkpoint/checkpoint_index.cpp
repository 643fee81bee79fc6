#include "impl/subject/checkpoint/checkpoint_index.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "impl/subject/checkpoint/damaged.hpp"
#include "impl/subject/checkpoint/new_file.hpp"
#include "impl/subject/checkpoint/regular_file.hpp"
#include "impl/subject/checkpoint/saves.hpp"
#include "reference/experiment/experiment_json.hpp"
#include "reference/experiment/hash.hpp"
#include "reference/experiment/json_form.hpp"
#include "reference/experiment/json_text.hpp"

namespace zerocts {

void Describe(JsonForm& form, LossScaleState& state) {
  form.Fields("scale", state.scale, "good_steps", state.good_steps, "patience", state.patience);
}

namespace engine {

using nlohmann::json;

namespace {

constexpr uint64_t kLargestIndex = 100'000'000;

void DescribeText(JsonForm& form, const char* name, const std::string& expected) {
  std::string text = expected;
  form.Field(name, text);
  form.Expect(name, text == expected, expected);
}

json FilesToJson(const std::vector<FileIdentity>& files) {
  json array = json::array();
  for (const FileIdentity& file : files) {
    array.push_back({{"name", FileOfRank(static_cast<int>(array.size()))},
                     {"bytes", file.bytes},
                     {"header_xxh3_128", file.header_hash}});
  }
  return array;
}

std::vector<FileIdentity> FilesFrom(const json& value, const std::string& path) {
  std::vector<FileIdentity> files;
  for (const json& file : ExpectArray(value, path)) {
    JsonFields fields(file, fmt::format("{}[{}]", path, files.size()));
    JsonForm form(fields);
    DescribeText(form, "name", FileOfRank(static_cast<int>(files.size())));
    files.push_back({fields.Unsigned("bytes"), fields.Text("header_xxh3_128")});
    fields.ExpectNoOthers();
  }
  return files;
}

using SavedParameters = std::map<std::string, SavedParameter>;

json ParametersToJson(const SavedParameters& parameters) {
  json object = json::object();
  for (const auto& [name, saved] : parameters) object[name] = JsonForm::ToJson(saved);
  return object;
}

SavedParameters ParametersFrom(const json& value, const std::string& path) {
  SavedParameters parameters;
  for (const auto& [name, saved] : value.items())
    parameters[name] = JsonForm::From<SavedParameter>(saved, fmt::format("{}.{}", path, name));
  return parameters;
}

}  // namespace

void Describe(JsonForm& form, SavedParameter& saved) {
  form.Fields("shape", saved.shape, "frozen", saved.frozen);
  form.Fields("steps", saved.products.steps, "momentum_steps", saved.products.momentum_steps);
  form.Fields("beta1_product", saved.products.beta1, "beta2_product", saved.products.beta2);
}

void Describe(JsonForm& form, Savers& savers) {
  form.Fields("world_size", savers.world_size, "stage", savers.stage, "replicas", savers.replicas);
  form.Unusual("tensor", savers.tensor, 1);
  form.Unusual("experts", savers.experts, 1);
}

void Describe(JsonForm& form, CheckpointIndex& index) {
  DescribeText(form, "format", kCheckpointFormat);
  DescribeText(form, "save", NameOfSave(index.save));
  form.Field("saved_by", index.savers);
  form.Field("files", index.files, FilesToJson, FilesFrom);
  form.Field("optimizer", index.optimizer, OptimizerKindFromString);
  form.Field("steps", index.steps, Bounds{0});
  form.Field("loss_scale", index.loss_scale);
  form.Field("groups", index.groups);
  form.Field("parameters", index.parameters, ParametersToJson, ParametersFrom);
}

namespace {

CheckpointIndex IndexFrom(const json& value, uint64_t save) {
  CheckpointIndex index{.save = save};
  JsonFields fields(value, "checkpoint");
  JsonForm form(fields);
  Describe(form, index);
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

/// Other text no JSON can hold.
void RequireUtf8(const std::string& name) {
  try {
    json(name).dump();
  } catch (const json::exception&) {
    throw std::invalid_argument("a parameter has a name that is not in UTF-8: a checkpoint cannot hold it");
  }
}

}  // namespace

std::string FileOfRank(int rank) { return fmt::format("rank-{}.safetensors", rank); }

Metadata MetadataOf(const CheckpointIndex& index, int rank) {
  return {{"format", kCheckpointFormat},
          {"save", NameOfSave(index.save)},
          {"steps", std::to_string(index.steps)},
          {"rank", std::to_string(rank)},
          {"world_size", std::to_string(index.savers.world_size)}};
}

CheckpointIndex IndexOf(const Engine& engine, int world_size) {
  const EngineSettings& settings = engine.settings();
  const EngineProgress progress = engine.Progress();
  CheckpointIndex index{.save = 0,
                        .savers = {world_size, settings.stage, settings.replicas, settings.tensor, settings.experts},
                        .files = {},
                        .optimizer = settings.optimizer.kind,
                        .steps = progress.steps,
                        .loss_scale = progress.loss_scale,
                        .groups = progress.groups,
                        .parameters = {}};
  for (size_t p = 0; p < progress.products.size(); ++p) {
    const ParameterSpec& spec = settings.parameters[p].spec;
    RequireUtf8(spec.name);
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

std::string WriteIndex(const CheckpointIndex& index, const std::string& folder) {
  if (const std::string problem = Problem(index); !problem.empty()) {
    throw std::runtime_error(problem + "; no checkpoint of it is saved, for none could be loaded");
  }
  const std::string text = JsonForm::ToJson(index).dump(2) + "\n";
  if (text.size() > kLargestIndex) {
    throw std::runtime_error(fmt::format("{} parameters make an index of {} bytes: expected at most {}",
                                         index.parameters.size(), text.size(), kLargestIndex));
  }
  WriteNewFile(IndexOfSave(folder, index.save), text);
  return HashOfBytes(text.data(), text.size());
}

CheckpointIndex ReadIndex(const std::string& folder, const LatestSave& latest) {
  const std::string path = IndexOfSave(folder, latest.id);
  const std::string text = TextOfFile(path, kLargestIndex);
  const std::string hash = HashOfBytes(text.data(), text.size());
  if (hash != latest.index_hash) {
    ThrowDamaged(path, fmt::format("expected an index with XXH3-128 {}, got {}: it is damaged or of another save",
                                   latest.index_hash, hash));
  }
  try {
    CheckpointIndex index = IndexFrom(ParseJson(text, {.bytes = kLargestIndex}), latest.id);
    if (const std::string problem = Problem(index); !problem.empty()) throw std::invalid_argument(problem);
    return index;
  } catch (const std::invalid_argument& wrong) {
    ThrowDamaged(path, wrong.what());
  }
}

}  // namespace engine
}  // namespace zerocts
