#include "conformance/cases/capabilities/capabilities.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "conformance/cases/capabilities/with_option.hpp"
#include "reference/experiment/json_fields.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/experiment/semantics_json.hpp"
#include "reference/optim/enum_names.hpp"

namespace zerocts {

using nlohmann::json;

namespace {

constexpr int kLargestWorldSize = 1 << 20;
constexpr int64_t kLargestSlackBytes = int64_t{1} << 40, kLargestUnit = int64_t{1} << 20;
constexpr const char* kOwnFormula = "own";
constexpr EnumName<Granularity> kGranularityNames[] = {
    {Granularity::kElement, "element"}, {Granularity::kRow, "row"}, {Granularity::kTensor, "tensor"}};

/// `read` makes an item from an element and its path; no item twice.
template <typename Read>
auto List(JsonFields& fields, const std::string& name, Read read) {
  std::vector<decltype(read(json(), std::string()))> items;
  for (const json& value : fields.Array(name)) {
    const std::string path = fields.PathOf(name) + "[" + std::to_string(items.size()) + "]";
    items.push_back(read(value, path));
    if (std::count(items.begin(), items.end(), items.back()) > 1) ThrowUnexpected(path, "every entry once", value);
  }
  return items;
}

int StageFrom(const json& value, const std::string& path) {
  const int64_t stage = IntegerFrom(value, path);
  if (stage < 0 || stage > 3) ThrowUnexpected(path, "a stage from 0 to 3", value);
  return static_cast<int>(stage);
}

int TensorRanksFrom(const json& value, const std::string& path) {
  const int64_t ranks = IntegerFrom(value, path);
  if (ranks < 1 || ranks > kLargestWorldSize) ThrowUnexpected(path, "a number of tensor ranks from 1 to 2^20", value);
  return static_cast<int>(ranks);
}

std::string TextFrom(const json& value, const std::string& path) {
  if (!value.is_string() || value.get<std::string>().empty()) ThrowUnexpected(path, "some text", value);
  return value.get<std::string>();
}

/// A reader of one of the names that this suite knows.
auto NameAmong(std::vector<std::string> known) {
  return [known = std::move(known)](const json& value, const std::string& path) {
    if (value.is_string() && std::count(known.begin(), known.end(), value.get<std::string>())) {
      return value.get<std::string>();
    }
    std::string choices;
    for (const std::string& name : known) choices += (choices.empty() ? "" : ", ") + name;
    ThrowUnexpected(path, "one of " + choices, value);
  };
}

/// A reader of an enumerator by its name.
template <typename Enum>
auto Enumerator(Enum (*from_string)(const std::string&)) {
  return [from_string](const json& value, const std::string& path) {
    try {
      return from_string(TextFrom(value, path));
    } catch (const std::invalid_argument& wrong) {
      const std::string sentence = wrong.what();
      throw std::invalid_argument(sentence.starts_with(path) ? sentence : path + ": " + sentence);
    }
  };
}

/// Left out when nothing is scaled, so "none" is no entry.
LossScaleKind ScalingFrom(const json& value, const std::string& path) {
  const LossScaleKind kind = Enumerator(LossScaleKindFromString)(value, path);
  if (kind == LossScaleKind::kNone) ThrowUnexpected(path, "static or dynamic", value);
  return kind;
}

template <typename Enum>
json NamesToJson(const std::vector<Enum>& values) {
  json names = json::array();
  for (const Enum value : values) names.push_back(ToString(value));
  return names;
}

/// A choice that is left out is our own.
OptimizerFormula FormulaWith(const json& choices, const std::string& path) {
  if (!choices.is_object()) ThrowUnexpected(path, "an object, or \"own\" where the formula has no words", choices);
  json formula = FormulaToJson({});
  formula.update(choices);
  return FormulaFrom(formula, path);
}

void ReadFormulas(const json& value, const std::string& path, Capabilities& c) {
  if (!value.is_object()) ThrowUnexpected(path, "an object of a formula per optimizer", value);
  for (const auto& [name, choices] : value.items()) {
    const OptimizerKind optimizer = Enumerator(OptimizerKindFromString)(name, path);
    if (choices == kOwnFormula) {
      c.own_formulas.push_back(optimizer);
    } else {
      c.formulas[optimizer] = FormulaWith(choices, path + "." + name);
    }
  }
}

json FormulasToJson(const Capabilities& c) {
  json object = json::object();
  for (const auto& [optimizer, formula] : c.formulas) object[ToString(optimizer)] = FormulaToJson(formula);
  for (const OptimizerKind optimizer : c.own_formulas) object[ToString(optimizer)] = kOwnFormula;
  return object;
}

/// Unusual shapes; left out: all of them.
void ReadShapes(JsonFields& fields, Capabilities& c) {
  if (!fields.Has("shapes")) return;
  const std::vector<std::string> shapes = List(fields, "shapes", NameAmong({"scalar", "empty"}));
  c.scalars = std::count(shapes.begin(), shapes.end(), "scalar");
  c.empty_parameters = std::count(shapes.begin(), shapes.end(), "empty");
}

json ShapesToJson(const Capabilities& c) {
  json shapes = json::array();
  if (c.scalars) shapes.push_back("scalar");
  if (c.empty_parameters) shapes.push_back("empty");
  return shapes;
}

/// The fields that later minor versions brought.
void ReadOfLaterMinors(JsonFields& fields, Capabilities& c) {
  const auto flag = [&](const char* name, bool& value) {
    if (fields.Has(name)) value = fields.Bool(name);
  };
  const auto list = [&](const char* name, auto read, auto& values) {
    if (fields.Has(name)) values = List(fields, name, read);
  };
  flag("replicas", c.replicas);
  list("gradient_sync", Enumerator(GradientSyncFromString), c.gradient_sync);
  list("accumulation_dtypes", Enumerator(AccumulationFromString), c.accumulation_dtypes);
  list("reduce_dtypes", Enumerator(ReductionFromString), c.reduce_dtypes);
  list("clip_norms", Enumerator(NormKindFromString), c.clip_norms);
  list("clip_formulas", Enumerator(ClipFormulaFromString), c.clip_formulas);
  list("loss_scaling", ScalingFrom, c.loss_scaling);
  flag("frozen", c.frozen);
  flag("missing_gradients", c.missing_gradients);
  flag("tied", c.tied);
  flag("buffers", c.buffers);
  flag("mixed_dtypes", c.mixed_dtypes);
  flag("sgd_variants", c.sgd_variants);
  list("offload", Enumerator(OffloadFromString), c.offload);
  flag("overlap", c.overlap);
  flag("timeline", c.timeline);
  flag("events", c.events);
  flag("traffic", c.traffic);
  flag("memory_estimate", c.memory_estimate);
  flag("checkpoint", c.checkpoint);
  flag("checkpoint_reshard", c.checkpoint_reshard);
  flag("plan_files", c.plan_files);
  list("losses", Enumerator(LossShapeFromString), c.losses);
  list("tensor_parallel", TensorRanksFrom, c.tensor_parallel);
  list("tensor_parts", Enumerator(PartSizesFromString), c.tensor_parts);
  flag("checkpoint_tensor", c.checkpoint_tensor);
  flag("vocab_parallel", c.vocab_parallel);
  flag("sequence_parallel", c.sequence_parallel);
  flag("kv_heads", c.kv_heads);
  flag("experts", c.experts);
  flag("expert_replicas", c.expert_replicas);
  list("expert_divisors", Enumerator(ExpertDivisorFromString), c.expert_divisors);
  if (fields.Has("formulas")) ReadFormulas(fields.Any("formulas"), fields.PathOf("formulas"), c);
  list("ordered_dtypes", Enumerator(PrecisionFromString), c.ordered_dtypes);
  flag("inexact_mean", c.inexact_mean);
  flag("inexact_norm", c.inexact_norm);
  flag("inexact_models", c.inexact_models);
  flag("own_models", c.own_models);
  flag("device_memory", c.device_memory);
  if (fields.Has("granularity")) {
    c.granularity = Enumerator(GranularityFromString)(fields.Any("granularity"), fields.PathOf("granularity"));
  }
  if (fields.Has("min_replicas"))
    c.min_replicas = static_cast<int>(fields.Integer("min_replicas", 1, kLargestWorldSize));
  if (fields.Has("parameters_per_unit")) c.parameters_per_unit = fields.Integer("parameters_per_unit", 0, kLargestUnit);
  ReadShapes(fields, c);
}

json MinorVersion1ToJson(const Capabilities& c) {
  return {{"replicas", c.replicas},
          {"gradient_sync", NamesToJson(c.gradient_sync)},
          {"accumulation_dtypes", NamesToJson(c.accumulation_dtypes)},
          {"reduce_dtypes", NamesToJson(c.reduce_dtypes)},
          {"clip_norms", NamesToJson(c.clip_norms)},
          {"clip_formulas", NamesToJson(c.clip_formulas)},
          {"loss_scaling", NamesToJson(c.loss_scaling)},
          {"frozen", c.frozen},
          {"missing_gradients", c.missing_gradients},
          {"tied", c.tied},
          {"buffers", c.buffers},
          {"mixed_dtypes", c.mixed_dtypes},
          {"sgd_variants", c.sgd_variants},
          {"offload", NamesToJson(c.offload)},
          {"overlap", c.overlap},
          {"timeline", c.timeline},
          {"events", c.events},
          {"traffic", c.traffic},
          {"memory_estimate", c.memory_estimate},
          {"checkpoint", c.checkpoint},
          {"checkpoint_reshard", c.checkpoint_reshard},
          {"plan_files", c.plan_files},
          {"losses", NamesToJson(c.losses)},
          {"tensor_parallel", c.tensor_parallel},
          {"tensor_parts", NamesToJson(c.tensor_parts)},
          {"checkpoint_tensor", c.checkpoint_tensor},
          {"vocab_parallel", c.vocab_parallel},
          {"sequence_parallel", c.sequence_parallel},
          {"kv_heads", c.kv_heads},
          {"experts", c.experts},
          {"expert_replicas", c.expert_replicas},
          {"expert_divisors", NamesToJson(c.expert_divisors)},
          {"formulas", FormulasToJson(c)},
          {"ordered_dtypes", NamesToJson(c.ordered_dtypes)},
          {"inexact_mean", c.inexact_mean},
          {"inexact_norm", c.inexact_norm},
          {"inexact_models", c.inexact_models},
          {"own_models", c.own_models},
          {"device_memory", c.device_memory},
          {"granularity", ToString(c.granularity)},
          {"min_replicas", c.min_replicas},
          {"parameters_per_unit", c.parameters_per_unit},
          {"shapes", ShapesToJson(c)}};
}

void ReadWorldSizes(JsonFields& fields, Capabilities& capabilities) {
  const std::string path = fields.PathOf("world_sizes");
  const json& sizes = fields.Array("world_sizes");
  const auto expect = [&](bool holds) {
    if (!holds) {
      ThrowUnexpected(path, "two integers, the smallest and the largest world size, 1 <= smallest <= largest <= 2^20",
                      sizes);
    }
  };
  expect(sizes.size() == 2 && sizes[0].is_number_integer() && sizes[1].is_number_integer());
  const int64_t smallest = sizes[0].get<int64_t>(), largest = sizes[1].get<int64_t>();
  expect(1 <= smallest && smallest <= largest && largest <= kLargestWorldSize);
  capabilities.min_world_size = static_cast<int>(smallest);
  capabilities.max_world_size = static_cast<int>(largest);
}

/// What a probe reads is the mean.
void ExpectProbeable(const Capabilities& c) {
  const auto has = [](const std::vector<std::string>& list, const char* item) {
    return std::ranges::count(list, item) > 0;
  };
  if (!has(c.reduction_orders, "probed") || has(c.states, "gradient")) return;
  throw std::invalid_argument(
      "capabilities.states: expected \"gradient\" among them because \"reduction_orders\" has \"probed\", which reads "
      "the mean");
}

/// A case of mixed precisions has one order for all its parameters.
void ExpectOneOrder(const Capabilities& c) {
  if (!c.mixed_dtypes || c.reduction_orders.empty()) return;
  for (const Precision precision : c.param_dtypes) {
    if (std::ranges::count(c.ordered_dtypes, precision) > 0) continue;
    throw std::invalid_argument("capabilities.ordered_dtypes: expected \"" + ToString(precision) +
                                "\" among them because \"mixed_dtypes\" is true: one case has one order");
  }
}

void ExpectLoadable(const Capabilities& c) {
  if (!c.checkpoint_reshard || c.checkpoint) return;
  throw std::invalid_argument("capabilities.checkpoint: expected true because \"checkpoint_reshard\" is, got false");
}

void ExpectModelsOfEvents(const Capabilities& c) {
  if (!c.events || !c.models.empty()) return;
  throw std::invalid_argument(
      "capabilities.models: expected one at least because \"events\" is true, which are of them");
}

void ExpectMesh(const Capabilities& c) {
  if (c.min_replicas == 1 || c.replicas) return;
  throw std::invalid_argument("capabilities.replicas: expected true because \"min_replicas\" is " +
                              std::to_string(c.min_replicas) + ", got false");
}

json ParsedCapabilities(const std::string& text) {
  try {
    return ParseJson(text);
  } catch (const JsonTextError& wrong) {
    throw std::invalid_argument(std::string("capabilities: ") + wrong.what());
  }
}

}  // namespace

std::string ToString(Granularity granularity) { return NameOf(kGranularityNames, granularity); }
Granularity GranularityFromString(const std::string& name) { return FromName(kGranularityNames, "granularity", name); }

Capabilities CapabilitiesFromJson(const std::string& text, const SubjectOptionValues& options) {
  const json whole = ParsedCapabilities(text);
  const json value = WithOptions(whole, options);
  JsonFields fields(value, "capabilities");
  Capabilities c;
  c.option_keys = KeysOfOptions(whole);
  // What is left out is not offered.
  const auto declared = [&](const char* name) { return value.contains(name); };
  const auto flag = [&](const char* name) { return declared(name) && fields.Bool(name); };
  if (declared("stages")) c.stages = List(fields, "stages", StageFrom);
  if (declared("param_dtypes")) c.param_dtypes = List(fields, "param_dtypes", Enumerator(PrecisionFromString));
  if (declared("optimizers")) c.optimizers = List(fields, "optimizers", Enumerator(OptimizerKindFromString));
  if (declared("world_sizes")) ReadWorldSizes(fields, c);
  c.ranks_as_threads = flag("ranks_as_threads");
  if (declared("reduction_orders")) {
    c.reduction_orders = List(fields, "reduction_orders", NameAmong({"rank", "ring", "tree", "probed"}));
  }
  if (declared("plans")) c.plans = List(fields, "plans", TextFrom);
  c.bucket_cap_bytes = flag("bucket_cap_bytes");
  c.clip = flag("clip");
  c.accumulation = flag("accumulation");
  c.groups = flag("groups");
  c.set_group = flag("set_group");
  if (declared("states")) {
    c.states = List(fields, "states", NameAmong({"master", "momentum", "exp_avg", "exp_avg_sq", "gradient"}));
  }
  ExpectProbeable(c);
  if (declared("models")) c.models = List(fields, "models", NameAmong({"mlp", "gpt"}));
  if (declared("optimizer_slack_bytes")) {
    c.optimizer_slack_bytes = fields.Integer("optimizer_slack_bytes", 0, kLargestSlackBytes);
  }
  ReadOfLaterMinors(fields, c);
  ExpectLoadable(c);
  ExpectMesh(c);
  ExpectModelsOfEvents(c);
  ExpectOneOrder(c);
  fields.ExpectNoOthers();
  return c;
}

json ToJson(const Capabilities& c) {
  json object = {
      {"stages", c.stages},
      {"param_dtypes", NamesToJson(c.param_dtypes)},
      {"optimizers", NamesToJson(c.optimizers)},
      {"world_sizes", {c.min_world_size, c.max_world_size}},
      {"ranks_as_threads", c.ranks_as_threads},
      {"reduction_orders", c.reduction_orders},
      {"plans", c.plans},
      {"bucket_cap_bytes", c.bucket_cap_bytes},
      {"clip", c.clip},
      {"accumulation", c.accumulation},
      {"groups", c.groups},
      {"set_group", c.set_group},
      {"states", c.states},
      {"models", c.models},
      {"optimizer_slack_bytes", c.optimizer_slack_bytes},
  };
  object.update(MinorVersion1ToJson(c));
  return object;
}

json SinceMinorVersion1(const Capabilities& c) {
  const json left_out = MinorVersion1ToJson(Capabilities{});
  json object = json::object(), declared = MinorVersion1ToJson(c);
  for (const auto& [name, value] : declared.items()) {
    if (value != left_out[name]) object[name] = value;
  }
  for (const OptimizerKind kind : {OptimizerKind::kAdam, OptimizerKind::kLamb}) {
    if (std::count(c.optimizers.begin(), c.optimizers.end(), kind)) object["optimizers"].push_back(ToString(kind));
  }
  return object;
}

}  // namespace zerocts
