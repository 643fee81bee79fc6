#include "reference/experiment/experiment_json.hpp"

#include "reference/experiment/json_readers.hpp"
#include "reference/experiment/semantics_json.hpp"

namespace zerocts {

using nlohmann::json;

json ToJson(const HyperParameters& values) {
  return {{"lr", FloatToJson(values.lr)},
          {"weight_decay", FloatToJson(values.weight_decay)},
          {"momentum", FloatToJson(values.momentum)},
          {"beta1", FloatToJson(values.beta1)},
          {"beta2", FloatToJson(values.beta2)},
          {"eps", FloatToJson(values.eps)},
          {"dampening", FloatToJson(values.dampening)},
          {"nesterov", values.nesterov}};
}

HyperParameters HyperParametersFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  HyperParameters values;
  values.lr = fields.Float("lr");
  values.weight_decay = fields.Float("weight_decay");
  values.momentum = fields.Float("momentum");
  values.beta1 = fields.Float("beta1");
  values.beta2 = fields.Float("beta2");
  values.eps = fields.Float("eps");
  if (fields.Has("dampening")) values.dampening = fields.Float("dampening");
  if (fields.Has("nesterov")) values.nesterov = fields.Bool("nesterov");
  fields.ExpectNoOthers();
  return values;
}

namespace {

json ToJson(const ParameterSpec& parameter) {
  return {{"name", parameter.name}, {"shape", parameter.shape}, {"group", parameter.group}};
}

ParameterSpec ParameterFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  ParameterSpec parameter;
  parameter.name = fields.Text("name");
  parameter.shape = IntegersFrom(fields.Array("shape"), fields.PathOf("shape"));
  parameter.group = fields.Int("group");
  fields.ExpectNoOthers();
  return parameter;
}

json ToJson(const HyperParameterChange& change) {
  return {{"step", change.step}, {"group", change.group}, {"values", ToJson(change.values)}};
}

HyperParameterChange ChangeFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  HyperParameterChange change;
  change.step = fields.Integer("step");
  change.group = fields.Int("group");
  change.values = HyperParametersFrom(fields.Any("values"), fields.PathOf("values"));
  fields.ExpectNoOthers();
  return change;
}

json SizesToJson(const MlpSpec& spec) {
  return {{"vocab", spec.vocab}, {"context", spec.context}, {"embedding", spec.embedding}, {"hidden", spec.hidden}};
}

json SizesToJson(const GptSpec& spec) {
  return {{"vocab", spec.vocab}, {"context", spec.context}, {"layers", spec.layers},
          {"heads", spec.heads}, {"width", spec.width},     {"tied", spec.tied}};
}

void AddUnusual(const MlpSpec& spec, json& object) {
  if (spec.vocab_parallel) object["vocab_parallel"] = true;
  if (spec.experts != 1) object["experts"] = spec.experts;
}

void AddUnusual(const GptSpec& spec, json& object) {
  if (spec.kv_heads != spec.heads) object["kv_heads"] = spec.kv_heads;
  if (spec.vocab_parallel) object["vocab_parallel"] = true;
  if (spec.sequence_parallel) object["sequence_parallel"] = true;
}

/// Written only where it is not as usual, so that hashes of other experiments stay what they are.
template <typename Spec>
json SpecToJson(const Spec& spec) {
  json object = SizesToJson(spec);
  const SliceOrder usual;
  if (spec.slice_order.slices != usual.slices) object["slices"] = spec.slice_order.slices;
  if (spec.slice_order.rounding != usual.rounding) object["slice_rounding"] = ToString(spec.slice_order.rounding);
  AddUnusual(spec, object);
  return object;
}

SliceOrder SliceOrderFrom(JsonFields& fields) {
  SliceOrder order;
  if (fields.Has("slices")) order.slices = fields.Integer("slices");
  if (fields.Has("slice_rounding")) order.rounding = EnumFrom(fields, "slice_rounding", SliceRoundingFromString);
  return order;
}

bool FlagFrom(JsonFields& fields, const char* name) { return fields.Has(name) && fields.Bool(name); }

MlpSpec MlpFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  MlpSpec spec;
  spec.vocab = fields.Integer("vocab");
  spec.context = fields.Integer("context");
  spec.embedding = fields.Integer("embedding");
  spec.hidden = IntegersFrom(fields.Array("hidden"), fields.PathOf("hidden"));
  spec.slice_order = SliceOrderFrom(fields);
  spec.vocab_parallel = FlagFrom(fields, "vocab_parallel");
  if (fields.Has("experts")) spec.experts = fields.Int("experts");
  fields.ExpectNoOthers();
  return spec;
}

GptSpec GptFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  GptSpec spec;
  spec.vocab = fields.Integer("vocab");
  spec.context = fields.Integer("context");
  spec.layers = fields.Integer("layers");
  spec.heads = fields.Integer("heads");
  spec.kv_heads = fields.Has("kv_heads") ? fields.Integer("kv_heads") : spec.heads;
  spec.width = fields.Integer("width");
  spec.tied = fields.Bool("tied");
  spec.slice_order = SliceOrderFrom(fields);
  spec.vocab_parallel = FlagFrom(fields, "vocab_parallel");
  spec.sequence_parallel = FlagFrom(fields, "sequence_parallel");
  fields.ExpectNoOthers();
  return spec;
}

}  // namespace

json ToJson(const ModelSpec& model) {
  return {{KindOf(model), std::visit([](const auto& spec) { return SpecToJson(spec); }, model)}};
}

ModelSpec ModelSpecFromJson(const json& value, const std::string& path) {
  if (!value.is_object() || value.size() != 1) ThrowUnexpected(path, "an object with the one field mlp or gpt", value);
  const std::string& kind = value.begin().key();
  if (kind == "mlp") return MlpFrom(value["mlp"], path + ".mlp");
  if (kind == "gpt") return GptFrom(value["gpt"], path + ".gpt");
  ThrowUnexpected(path, "the field mlp or gpt", value);
}

json ToJson(const Experiment& e) {
  const auto as_json = [](const auto& item) { return ToJson(item); };
  json object = {
      {"parameters", ArrayOf(e.parameters, as_json)},
      {"model", e.model ? ToJson(*e.model) : json(nullptr)},
      {"initial", ToString(e.initial)},
      {"precision", ToString(e.precision)},
      {"optimizer", ToString(e.optimizer)},
      {"groups", ArrayOf(e.groups, as_json)},
      {"changes", ArrayOf(e.changes, as_json)},
      {"max_norm", FloatToJson(e.max_norm)},
      {"clip_epsilon", FloatToJson(e.clip_epsilon)},
      {"world_size", e.world_size},
      {"micro_batches", e.micro_batches},
      {"steps", e.steps},
      {"gradients", ToString(e.gradients)},
      {"gradient_exponent", e.gradient_exponent},
      {"batch", e.batch},
      {"text", e.text},
      {"text_hash", e.text_hash},
      {"seed", UnsignedToJson(e.seed)},
  };
  // Written only where it is not as usual: texts, and hashes of them, from before this field stay what they are.
  if (e.initial_exponent != 0) object["initial_exponent"] = e.initial_exponent;
  if (e.curvature != 0) object["curvature"] = FloatToJson(e.curvature);
  AddSemantics(e, object);
  return object;
}

Experiment ExperimentFromJson(const json& value) {
  JsonFields fields(value, "experiment");
  Experiment e;
  e.parameters = ItemsFrom<ParameterSpec>(fields, "parameters", ParameterFrom);
  const json& model = fields.Any("model");
  if (!model.is_null()) e.model = ModelSpecFromJson(model, fields.PathOf("model"));
  e.initial = EnumFrom(fields, "initial", InitialValuesFromString);
  if (fields.Has("initial_exponent")) e.initial_exponent = fields.Int("initial_exponent");
  e.precision = EnumFrom(fields, "precision", PrecisionFromString);
  e.optimizer = EnumFrom(fields, "optimizer", OptimizerKindFromString);
  e.groups = ItemsFrom<HyperParameters>(fields, "groups", HyperParametersFrom);
  e.changes = ItemsFrom<HyperParameterChange>(fields, "changes", ChangeFrom);
  e.max_norm = fields.Float("max_norm");
  e.clip_epsilon = fields.Float("clip_epsilon");
  e.world_size = fields.Int("world_size");
  e.micro_batches = fields.Int("micro_batches");
  e.steps = fields.Integer("steps");
  e.gradients = EnumFrom(fields, "gradients", GradientSourceFromString);
  e.gradient_exponent = fields.Int("gradient_exponent");
  if (fields.Has("curvature")) e.curvature = fields.Float("curvature");
  e.batch = fields.Integer("batch");
  e.text = fields.Text("text");
  e.text_hash = fields.Text("text_hash");
  e.seed = fields.Unsigned("seed");
  ReadSemantics(fields, e);
  fields.ExpectNoOthers();
  return e;
}

}  // namespace zerocts
