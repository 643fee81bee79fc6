#include "reference/plan/forms/plan_json.hpp"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <unordered_map>

#include "reference/experiment/json_dump.hpp"
#include "reference/experiment/json_readers.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/plan/forms/rule_json.hpp"
#include "reference/plan/runs/problem.hpp"

namespace zerocts {

void Describe(OrderedJsonForm& form, MeshAxis& axis) {
  form.Field("axis", axis.name);
  form.Field("size", axis.size, Bounds{1, std::numeric_limits<int>::max()});
}

namespace plan {

using nlohmann::json;
using nlohmann::ordered_json;

void Describe(OrderedJsonForm& form, Exception& exception) {
  form.Field("rank", exception.rank);
  DescribeRule(form, exception.rule);
}

namespace {

constexpr const char* kFormat = "zerocts-plan";

/// Indices of tensors by name.
class Names {
 public:
  explicit Names(const Model& model) {
    for (const Tensor& tensor : model) index_.emplace(tensor.name, static_cast<int32_t>(index_.size()));
  }
  int32_t IndexOf(const json& name, const std::string& path) const {
    const auto found = name.is_string() ? index_.find(name.get<std::string>()) : index_.end();
    if (found == index_.end()) ThrowUnexpected(path, "the name of a tensor of the model", name);
    return found->second;
  }

 private:
  std::unordered_map<std::string, int32_t> index_;
};

Dtype DtypeOf(const json& value, const std::string& path) {
  std::string name;
  ReadJson(value, path, name);
  const std::optional<Dtype> dtype = DtypeFrom(name);
  if (!dtype) ThrowUnexpected(path, "one of " + DtypeNames(), value);
  return *dtype;
}

/// All but "tied_to", which needs the names of all tensors.
void DescribeUntied(OrderedJsonForm& form, Tensor& tensor) {
  form.Fields("name", tensor.name, "shape", tensor.shape);
  form.Newer(
      "dtype", tensor.dtype, [](Dtype dtype) { return NameOf(dtype); }, DtypeOf);
  form.Unusual("group", tensor.group);
  form.Unusual("frozen", tensor.frozen);
}

Tensor TensorFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  OrderedJsonForm form(fields);
  Tensor tensor;
  DescribeUntied(form, tensor);
  if (fields.Has("tied_to")) fields.Any("tied_to");
  fields.ExpectNoOthers();
  return tensor;
}

Model TensorsFrom(const json& array, const std::string& path) {
  if (!array.is_array()) ThrowUnexpected(path, "an array of tensors", array);
  Model model;
  for (const json& value : array) model.push_back(TensorFrom(value, fmt::format("{}[{}]", path, model.size())));
  const Names names(model);
  for (size_t t = 0; t < model.size(); ++t) {
    const auto tied = array[t].find("tied_to");
    if (tied != array[t].end()) model[t].tied_to = names.IndexOf(*tied, fmt::format("{}[{}].tied_to", path, t));
  }
  return model;
}

TensorRange RangeFrom(const json& value, const std::string& path, const Names& names) {
  if (value.is_string()) {
    const int32_t index = names.IndexOf(value, path);
    return {index, index + 1};
  }
  if (!value.is_array() || value.size() != 2) ThrowUnexpected(path, "the name of a tensor, or [first, end]", value);
  return {Int32From(value[0], path), Int32From(value[1], path)};
}

/// All but the tensors.
void DescribeCut(OrderedJsonForm& form, Division& division) {
  bool flat = !division.each;
  form.Unusual("flat", flat);
  if (form.read()) division.each = !flat;
  DescribeRule(form, division.rule);
  form.Unusual("parts", division.parts, 0, Bounds{1});
  form.Unusual("offset_alignment", division.offset_alignment, 1, Bounds{1});
  form.Unusual("offsets", division.offsets);
  form.Unusual("length", division.length, Bounds{0});
  form.Unusual("exceptions", division.exceptions);
}

Division DivisionFrom(const json& value, const std::string& path, const Model& model, const Names& names) {
  JsonFields fields(value, path);
  Division division;
  division.tensors = {{0, static_cast<int32_t>(model.size())}};
  if (fields.Has("tensors")) {
    division.tensors = ItemsFrom<TensorRange>(
        fields, "tensors", [&](const json& item, const std::string& at) { return RangeFrom(item, at, names); });
  }
  OrderedJsonForm form(fields);
  DescribeCut(form, division);
  fields.ExpectNoOthers();
  return division;
}

Sharding ShardingFrom(const json& value, const std::string& path, const Model& model, const Names& names) {
  JsonFields fields(value, path);
  Sharding sharding;
  sharding.axes = ItemsFrom<std::string>(fields, "axes", [](const json& axis, const std::string& at) {
    if (!axis.is_string()) ThrowUnexpected(at, "the name of an axis of the mesh", axis);
    return axis.get<std::string>();
  });
  sharding.divisions = ItemsFrom<Division>(fields, "divisions", [&](const json& division, const std::string& at) {
    return DivisionFrom(division, at, model, names);
  });
  fields.ExpectNoOthers();
  return sharding;
}

/// "whole", the name of a state before it, or a sharding of its own.
void ReadState(JsonFields& fields, State state, const Names& names, Plan& plan) {
  const json& value = fields.Any(NameOf(state));
  int& sharding = plan.sharding_of[static_cast<int>(state)];
  if (value == "whole") return;
  for (const State before : kStates) {
    if (before >= state) break;
    if (value == NameOf(before)) {
      sharding = plan.sharding_of[static_cast<int>(before)];
      return;
    }
  }
  if (!value.is_object())
    ThrowUnexpected(fields.PathOf(NameOf(state)), "\"whole\", the name of a state before it, or a sharding", value);
  sharding = static_cast<int>(plan.shardings.size());
  plan.shardings.push_back(ShardingFrom(value, fields.PathOf(NameOf(state)), plan.model, names));
}

void ReadHead(JsonFields& fields) {
  const std::string format = fields.Text("format");
  if (format != kFormat) ThrowUnexpected(fields.PathOf("format"), std::string("\"") + kFormat + "\"", format);
  const int64_t version = fields.Integer("version");
  if (version != kFormatVersion)
    ThrowUnexpected(fields.PathOf("version"), std::to_string(kFormatVersion) + ", the version that this build reads",
                    version);
}

ordered_json ToJson(const Tensor& tensor, const Model& model) {
  ordered_json object = ordered_json::object();
  OrderedJsonForm form(object);
  DescribeUntied(form, const_cast<Tensor&>(tensor));
  if (tensor.tied_to >= 0) object["tied_to"] = model[tensor.tied_to].name;
  return object;
}

bool IsAll(const std::vector<TensorRange>& ranges, const Model& model) {
  return ranges == std::vector<TensorRange>{{0, static_cast<int32_t>(model.size())}};
}

ordered_json ToJson(const Division& division, const Model& model) {
  ordered_json object = ordered_json::object();
  if (!IsAll(division.tensors, model)) {
    object["tensors"] = ordered_json::array();
    for (const auto& [first, end] : division.tensors) object["tensors"].push_back({first, end});
  }
  OrderedJsonForm form(object);
  DescribeCut(form, const_cast<Division&>(division));
  return object;
}

template <typename Items, typename ToJsonValue>
std::string Lines(const Items& items, const std::string& indent, ToJsonValue to_json) {
  std::string text = "[";
  const char* separator = "";
  for (const auto& item : items) {
    text += fmt::format("{}\n{}{}", separator, indent, Dumped(ordered_json(to_json(item))));
    separator = ",";
  }
  return text + "]";
}

std::string TextOf(const Model& model) {
  return Lines(model, "    ", [&](const Tensor& tensor) { return ToJson(tensor, model); });
}

std::string TextOf(const Plan& plan, State state) {
  const int sharding = plan.sharding_of[static_cast<int>(state)];
  if (sharding == Plan::kWhole) return "\"whole\"";
  for (const State before : kStates) {
    if (before >= state) break;
    if (plan.sharding_of[static_cast<int>(before)] == sharding) return fmt::format("\"{}\"", NameOf(before));
  }
  const auto& [axes, divisions] = plan.shardings[sharding];
  return fmt::format("{{\"axes\": {}, \"divisions\": {}}}", Dumped(ordered_json(axes)),
                     Lines(divisions, "    ", [&](const Division& d) { return ToJson(d, plan.model); }));
}

}  // namespace

std::string JsonText(const Model& model) { return fmt::format("{{\n  \"model\": {}\n}}\n", TextOf(model)); }

std::string JsonText(const Plan& plan) {
  std::string text = fmt::format("{{\n  \"format\": \"{}\",\n  \"version\": {},\n", kFormat, kFormatVersion);
  if (!plan.planner.empty()) text += fmt::format("  \"planner\": {},\n", Dumped(ordered_json(plan.planner)));
  text += fmt::format("  \"mesh\": {},\n", Lines(plan.mesh.axes, "    ",
                                                 [](const MeshAxis& axis) { return OrderedJsonForm::ToJson(axis); }));
  if (plan.alignment != 1) text += fmt::format("  \"alignment\": {},\n", plan.alignment);
  if (plan.balance) text += fmt::format("  \"balance\": {},\n", *plan.balance);
  for (const State state : kStates) text += fmt::format("  \"{}\": {},\n", NameOf(state), TextOf(plan, state));
  return text + fmt::format("  \"model\": {}\n}}\n", TextOf(plan.model));
}

ordered_json ToJson(const Model& model) {
  ordered_json array = ordered_json::array();
  for (const Tensor& tensor : model) array.push_back(ToJson(tensor, model));
  return array;
}

Plan PlanFromJson(const json& value, const Plan* asked) {
  JsonFields fields(value, "plan");
  ReadHead(fields);
  Plan plan;
  if (fields.Has("planner")) plan.planner = fields.Text("planner");
  plan.model =
      asked && !fields.Has("model") ? asked->model : TensorsFrom(fields.Array("model"), fields.PathOf("model"));
  plan.mesh.axes = asked && !fields.Has("mesh") ? asked->mesh.axes
                                                : ItemsFrom<MeshAxis>(fields, "mesh", OrderedJsonForm::From<MeshAxis>);
  if (fields.Has("alignment")) plan.alignment = fields.Integer("alignment", 1);
  if (fields.Has("balance")) plan.balance = fields.Integer("balance", 0);
  const std::string problem_of_mesh = Problem(Plan{.mesh = plan.mesh});
  if (!problem_of_mesh.empty()) throw std::invalid_argument("plan: " + problem_of_mesh);
  const Names names(plan.model);
  for (const State state : kStates) ReadState(fields, state, names, plan);
  fields.ExpectNoOthers();
  const std::string problem = Problem(plan);
  if (!problem.empty()) throw std::invalid_argument("plan: " + problem);
  return plan;
}

Model ModelFromJson(const json& value) {
  const bool inside = value.is_object() && value.contains("model");
  Model model = TensorsFrom(inside ? value["model"] : value, "model");
  const std::string problem = Problem(Plan{.model = model});
  if (!problem.empty()) throw std::invalid_argument("model: " + problem);
  return model;
}

Plan PlanFromText(std::string_view text) { return PlanFromJson(ParseJson(text)); }

}  // namespace plan
}  // namespace zerocts
