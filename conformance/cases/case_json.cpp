// Cases as JSON and as files. Strict: a field that is missing, unknown or of the wrong type is named; only what newer
// versions brought may be missing.
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "conformance/cases/case.hpp"
#include "reference/experiment/experiment_json.hpp"
#include "reference/experiment/json_readers.hpp"
#include "reference/experiment/json_text.hpp"

namespace zerocts {

using nlohmann::json;

namespace {

std::string ReductionOrderFrom(JsonFields& fields) {
  const std::string name = fields.Text("reduction_order");
  for (const char* known : {"any", "rank", "ring", "tree", "probed"}) {
    if (name == known) return name;
  }
  ThrowUnexpected(fields.PathOf("reduction_order"), "one of any, rank, ring, tree, probed", name);
}

json ToJson(const Checkpoint& checkpoint) {
  json object = {{"after_step", checkpoint.after_step}, {"how", ToString(checkpoint.how)}};
  if (const auto& damage = checkpoint.damage)
    object["damage"] = {{"what", ToString(damage->what)}, {"file", damage->file}};
  if (checkpoint.other_world_size != 0) object["other_world_size"] = checkpoint.other_world_size;
  return object;
}

FileDamage DamageFromJson(const json& value) {
  JsonFields fields(value, "case.checkpoint.damage");
  const FileDamage damage{EnumFrom(fields, "what", DamageFromString), fields.Integer("file", 0)};
  fields.ExpectNoOthers();
  return damage;
}

Checkpoint CheckpointFromJson(const json& value) {
  JsonFields fields(value, "case.checkpoint");
  Checkpoint checkpoint;
  checkpoint.after_step = fields.Integer("after_step");
  checkpoint.how = EnumFrom(fields, "how", CheckpointUseFromString);
  if (fields.Has("damage")) checkpoint.damage = DamageFromJson(fields.Any("damage"));
  if (fields.Has("other_world_size")) checkpoint.other_world_size = fields.Int("other_world_size");
  fields.ExpectNoOthers();
  return checkpoint;
}

// What came with minor versions 1 and 2 of the ABI is written only where it is not as usual: texts of older cases, and
// hashes of them, stay what they are.

void AddArrangement(const Case& c, json& object) {
  const Case usual;
  const auto add = [&](const char* name, const auto& value, const auto& usual_value, const json& as_json) {
    if (value != usual_value) object[name] = as_json;
  };
  add("replicas", c.replicas, usual.replicas, c.replicas);
  add("gradient_sync", c.gradient_sync, usual.gradient_sync, ToString(c.gradient_sync));
  add("overlap", c.overlap, usual.overlap, ToString(c.overlap));
  add("offload", c.offload, usual.offload, ToString(c.offload));
  add("missing_as_null", c.missing_as_null, usual.missing_as_null, c.missing_as_null);
  if (c.checkpoint) object["checkpoint"] = ToJson(*c.checkpoint);
  add("observe_traffic", c.observe_traffic, usual.observe_traffic, c.observe_traffic);
  add("observe_timeline", c.observe_timeline, usual.observe_timeline, c.observe_timeline);
  add("observe_memory_estimate", c.observe_memory_estimate, usual.observe_memory_estimate, c.observe_memory_estimate);
}

void ReadArrangement(JsonFields& fields, Case& c) {
  const auto flag = [&](const char* name, bool& value) {
    if (fields.Has(name)) value = fields.Bool(name);
  };
  const auto enumerator = [&](const char* name, auto from_string, auto& value) {
    if (fields.Has(name)) value = EnumFrom(fields, name, from_string);
  };
  if (fields.Has("replicas")) c.replicas = fields.Int("replicas");
  enumerator("gradient_sync", GradientSyncFromString, c.gradient_sync);
  enumerator("overlap", OverlapFromString, c.overlap);
  enumerator("offload", OffloadFromString, c.offload);
  flag("missing_as_null", c.missing_as_null);
  if (fields.Has("checkpoint")) c.checkpoint = CheckpointFromJson(fields.Any("checkpoint"));
  flag("observe_traffic", c.observe_traffic);
  flag("observe_timeline", c.observe_timeline);
  flag("observe_memory_estimate", c.observe_memory_estimate);
}

}  // namespace

json ToJson(const Case& c) {
  json object = {
      {"clause", c.clause},
      {"fidelity", ToString(c.fidelity)},
      {"experiment", ToJson(c.experiment)},
      {"stage", c.stage},
      {"plan", c.plan},
      {"bucket_cap_bytes", UnsignedToJson(c.bucket_cap_bytes)},
      {"reduction_order", c.reduction_order},
      {"poison_memory", c.poison_memory},
      {"read_order", ToString(c.read_order)},
      {"read_before_step", c.read_before_step},
      {"read_twice", c.read_twice},
      {"observe_parameters", c.observe_parameters},
      {"observe_last_step_only", c.observe_last_step_only},
      {"observe_states", c.observe_states},
      {"observe_gradient", c.observe_gradient},
      {"observe_memory", c.observe_memory},
  };
  AddArrangement(c, object);
  return object;
}

Case CaseFromJson(const json& value) {
  JsonFields fields(value, "case");
  Case c;
  c.clause = fields.Text("clause");
  c.fidelity = FidelityFromString(fields.Text("fidelity"));
  c.experiment = ExperimentFromJson(fields.Any("experiment"));
  c.stage = static_cast<int>(fields.Integer("stage", 0, 3));
  c.plan = fields.Text("plan");
  c.bucket_cap_bytes = fields.Unsigned("bucket_cap_bytes");
  c.reduction_order = ReductionOrderFrom(fields);
  c.poison_memory = fields.Bool("poison_memory");
  c.read_order = ReadOrderFromString(fields.Text("read_order"));
  c.read_before_step = fields.Bool("read_before_step");
  c.read_twice = fields.Bool("read_twice");
  c.observe_parameters = fields.Bool("observe_parameters");
  c.observe_last_step_only = fields.Bool("observe_last_step_only");
  c.observe_states = fields.Bool("observe_states");
  c.observe_gradient = fields.Bool("observe_gradient");
  c.observe_memory = fields.Bool("observe_memory");
  ReadArrangement(fields, c);
  fields.ExpectNoOthers();
  const std::string problem = Problem(c);
  if (!problem.empty()) throw std::invalid_argument(problem);
  return c;
}

void SaveCase(const Case& c, const std::string& path) {
  std::ofstream file(path);
  file << ToJson(c).dump(2) << "\n";
  if (!file.flush()) {
    throw std::runtime_error("case file " + path +
                             ": expected a file that can be written; check the folder and its permissions");
  }
}

Case LoadCase(const std::string& path) {
  const std::optional<std::string> text = JsonFileText(path);
  if (!text) throw std::runtime_error("case file " + path + ": expected a file that can be read; check the path");
  try {
    return CaseFromJson(ParseJson(*text));
  } catch (const JsonTextError& wrong) {
    throw std::runtime_error("case file " + path + ": " + wrong.what() + "; make the case again");
  } catch (const std::invalid_argument& wrong) {
    throw std::runtime_error("case file " + path + ": " + wrong.what());
  }
}

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << Summary(c) << "\n" << ToJson(c).dump(); }

}  // namespace zerocts
