#include "conformance/cases/capabilities/capability_fields.hpp"

#include <algorithm>
#include <stdexcept>

#include "reference/experiment/experiment_json.hpp"
#include "reference/experiment/json_form.hpp"
#include "reference/optim/enum_names.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

constexpr int kLargestWorldSize = 1 << 20;
constexpr int64_t kLargestSlackBytes = int64_t{1} << 40, kLargestUnit = int64_t{1} << 20;
constexpr const char* kOwnFormula = "own";
constexpr EnumName<Granularity> kGranularityNames[] = {
    {Granularity::kElement, "element"}, {Granularity::kRow, "row"}, {Granularity::kTensor, "tensor"}};

/// `read` makes an item from an element and its path; no item twice.
template <typename Read>
auto ListIn(JsonFields& fields, const std::string& name, Read read) {
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
  json formula = JsonForm::ToJson(OptimizerFormula{});
  formula.update(choices);
  return JsonForm::From<OptimizerFormula>(formula, path);
}

void ReadFormulas(JsonFields& fields, Capabilities& c) {
  const json& value = fields.Any("formulas");
  const std::string path = fields.PathOf("formulas");
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
  for (const auto& [optimizer, formula] : c.formulas) object[ToString(optimizer)] = JsonForm::ToJson(formula);
  for (const OptimizerKind optimizer : c.own_formulas) object[ToString(optimizer)] = kOwnFormula;
  return object;
}

/// Unusual shapes; left out: all of them.
void ReadShapes(JsonFields& fields, Capabilities& c) {
  const std::vector<std::string> shapes = ListIn(fields, "shapes", NameAmong({"scalar", "empty"}));
  c.scalars = std::count(shapes.begin(), shapes.end(), "scalar");
  c.empty_parameters = std::count(shapes.begin(), shapes.end(), "empty");
}

json ShapesToJson(const Capabilities& c) {
  json shapes = json::array();
  if (c.scalars) shapes.push_back("scalar");
  if (c.empty_parameters) shapes.push_back("empty");
  return shapes;
}

void ReadWorldSizes(JsonFields& fields, Capabilities& c) {
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
  c.min_world_size = static_cast<int>(smallest);
  c.max_world_size = static_cast<int>(largest);
}

// Fields as the table names them.

CapabilityField Flag(const char* name, bool Capabilities::*flag) {
  return {name, [=](JsonFields& fields, Capabilities& c) { c.*flag = fields.Bool(name); },
          [=](const Capabilities& c) { return json(c.*flag); }};
}

template <typename Number>
CapabilityField Integer(const char* name, Number Capabilities::*number, int64_t least, int64_t most) {
  return {
      name,
      [=](JsonFields& fields, Capabilities& c) { c.*number = static_cast<Number>(fields.Integer(name, least, most)); },
      [=](const Capabilities& c) { return json(c.*number); }};
}

/// `read` makes an item from an element and its path.
template <typename Item, typename Read>
CapabilityField List(const char* name, std::vector<Item> Capabilities::*list, Read read) {
  return {name, [=](JsonFields& fields, Capabilities& c) { c.*list = ListIn(fields, name, read); },
          [=](const Capabilities& c) { return json(c.*list); }};
}

template <typename Enum>
CapabilityField Names(const char* name, std::vector<Enum> Capabilities::*list,
                      Enum (*from_string)(const std::string&)) {
  CapabilityField field = List(name, list, Enumerator(from_string));
  field.write = [=](const Capabilities& c) { return NamesToJson(c.*list); };
  return field;
}

}  // namespace

std::string ToString(Granularity granularity) { return NameOf(kGranularityNames, granularity); }
Granularity GranularityFromString(const std::string& name) { return FromName(kGranularityNames, "granularity", name); }

const std::vector<CapabilityField>& CapabilityFields() {
  using C = Capabilities;
  static const std::vector<CapabilityField> fields = {
      List("stages", &C::stages, StageFrom),
      Names("param_dtypes", &C::param_dtypes, PrecisionFromString),
      Names("optimizers", &C::optimizers, OptimizerKindFromString),
      {"world_sizes", ReadWorldSizes,
       [](const C& c) {
         return json{c.min_world_size, c.max_world_size};
       }},
      Flag("ranks_as_threads", &C::ranks_as_threads),
      List("reduction_orders", &C::reduction_orders, NameAmong({"rank", "ring", "tree", "probed"})),
      List("plans", &C::plans, TextFrom),
      Flag("bucket_cap_bytes", &C::bucket_cap_bytes),
      Flag("clip", &C::clip),
      Flag("accumulation", &C::accumulation),
      Flag("groups", &C::groups),
      Flag("set_group", &C::set_group),
      List("states", &C::states, NameAmong({"master", "momentum", "exp_avg", "exp_avg_sq", "gradient"})),
      List("models", &C::models, NameAmong({"mlp", "gpt"})),
      Integer("optimizer_slack_bytes", &C::optimizer_slack_bytes, 0, kLargestSlackBytes),
      Flag("replicas", &C::replicas),
      Names("gradient_sync", &C::gradient_sync, GradientSyncFromString),
      Names("accumulation_dtypes", &C::accumulation_dtypes, AccumulationFromString),
      Names("reduce_dtypes", &C::reduce_dtypes, ReductionFromString),
      Names("clip_norms", &C::clip_norms, NormKindFromString),
      Names("clip_formulas", &C::clip_formulas, ClipFormulaFromString),
      {"loss_scaling", [](JsonFields& fields, C& c) { c.loss_scaling = ListIn(fields, "loss_scaling", ScalingFrom); },
       [](const C& c) { return NamesToJson(c.loss_scaling); }},
      Flag("frozen", &C::frozen),
      Flag("missing_gradients", &C::missing_gradients),
      Flag("tied", &C::tied),
      Flag("buffers", &C::buffers),
      Flag("mixed_dtypes", &C::mixed_dtypes),
      Flag("sgd_variants", &C::sgd_variants),
      Names("offload", &C::offload, OffloadFromString),
      Flag("overlap", &C::overlap),
      Flag("timeline", &C::timeline),
      Flag("events", &C::events),
      Flag("traffic", &C::traffic),
      Flag("memory_estimate", &C::memory_estimate),
      Flag("checkpoint", &C::checkpoint),
      Flag("checkpoint_reshard", &C::checkpoint_reshard),
      Flag("plan_files", &C::plan_files),
      Names("losses", &C::losses, LossShapeFromString),
      List("tensor_parallel", &C::tensor_parallel, TensorRanksFrom),
      Names("tensor_parts", &C::tensor_parts, PartSizesFromString),
      Flag("checkpoint_tensor", &C::checkpoint_tensor),
      Flag("checkpoint_in_window", &C::checkpoint_in_window),
      Flag("goes_on_after_refusal", &C::goes_on_after_refusal),
      Flag("vocab_parallel", &C::vocab_parallel),
      Flag("sequence_parallel", &C::sequence_parallel),
      Flag("kv_heads", &C::kv_heads),
      Flag("experts", &C::experts),
      Flag("expert_replicas", &C::expert_replicas),
      Names("expert_divisors", &C::expert_divisors, ExpertDivisorFromString),
      {"formulas", ReadFormulas, FormulasToJson},
      Names("ordered_dtypes", &C::ordered_dtypes, PrecisionFromString),
      Flag("inexact_mean", &C::inexact_mean),
      Flag("inexact_norm", &C::inexact_norm),
      Flag("inexact_models", &C::inexact_models),
      Flag("own_models", &C::own_models),
      Flag("device_memory", &C::device_memory),
      {"granularity",
       [](JsonFields& fields, C& c) {
         c.granularity = Enumerator(GranularityFromString)(fields.Any("granularity"), fields.PathOf("granularity"));
       },
       [](const C& c) { return json(ToString(c.granularity)); }},
      Integer("min_replicas", &C::min_replicas, 1, kLargestWorldSize),
      Integer("parameters_per_unit", &C::parameters_per_unit, 0, kLargestUnit),
      {"shapes", ReadShapes, ShapesToJson},
      Flag("no_empty_ranks", &C::no_empty_ranks),
  };
  return fields;
}

}  // namespace zerocts
