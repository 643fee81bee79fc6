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
#include "reference/experiment/json_readers.hpp"
#include "reference/experiment/json_text.hpp"

namespace zerocts::engine {

using nlohmann::json;

namespace {

constexpr uint64_t kLargestIndex = 100'000'000;

/// Exactly the double: its shortest decimal text reads back to the same bits.
double DoubleFrom(JsonFields& fields, const std::string& name) {
  const json& value = fields.Any(name);
  if (!value.is_number()) ThrowUnexpected(fields.PathOf(name), "a number", value);
  return value.get<double>();
}

void ExpectText(JsonFields& fields, const char* name, const std::string& expected) {
  if (fields.Text(name) != expected) ThrowUnexpected(fields.PathOf(name), expected, fields.Text(name));
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

/// Without tensor ranks as it was before there were any.
json ToJson(const Savers& savers) {
  json value = {{"world_size", savers.world_size}, {"stage", savers.stage}, {"replicas", savers.replicas}};
  if (savers.tensor > 1) value["tensor"] = savers.tensor;
  if (savers.experts > 1) value["experts"] = savers.experts;
  return value;
}

Savers SaversFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  Savers savers{fields.Int("world_size"), fields.Int("stage"), fields.Int("replicas")};
  if (fields.Has("tensor")) savers.tensor = fields.Int("tensor");  // later than the others
  if (fields.Has("experts")) savers.experts = fields.Int("experts");
  fields.ExpectNoOthers();
  return savers;
}

json ToJson(const std::vector<FileIdentity>& files) {
  json array = json::array();
  for (const FileIdentity& file : files) {
    array.push_back({{"name", FileOfRank(static_cast<int>(array.size()))},
                     {"bytes", file.bytes},
                     {"header_xxh3_128", file.header_hash}});
  }
  return array;
}

std::vector<FileIdentity> FilesFrom(JsonFields& index) {
  std::vector<FileIdentity> files;
  for (const json& file : index.Array("files")) {
    JsonFields fields(file, fmt::format("{}[{}]", index.PathOf("files"), files.size()));
    ExpectText(fields, "name", FileOfRank(static_cast<int>(files.size())));
    files.push_back({fields.Unsigned("bytes"), fields.Text("header_xxh3_128")});
    fields.ExpectNoOthers();
  }
  return files;
}

json ToJson(const CheckpointIndex& index) {
  json parameters = json::object();
  for (const auto& [name, saved] : index.parameters) parameters[name] = ToJson(saved);
  return {{"format", kCheckpointFormat},
          {"save", NameOfSave(index.save)},
          {"saved_by", ToJson(index.savers)},
          {"files", ToJson(index.files)},
          {"optimizer", ToString(index.optimizer)},
          {"steps", index.steps},
          {"loss_scale", ToJson(index.loss_scale)},
          {"groups", ArrayOf(index.groups, [](const HyperParameters& values) { return zerocts::ToJson(values); })},
          {"parameters", std::move(parameters)}};
}

CheckpointIndex IndexFrom(const json& value, uint64_t save) {
  JsonFields fields(value, "checkpoint");
  CheckpointIndex index{.save = save};
  ExpectText(fields, "format", kCheckpointFormat);
  ExpectText(fields, "save", NameOfSave(save));
  index.savers = SaversFrom(fields.Any("saved_by"), fields.PathOf("saved_by"));
  index.files = FilesFrom(fields);
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
  const std::string text = ToJson(index).dump(2) + "\n";
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

}  // namespace zerocts::engine
