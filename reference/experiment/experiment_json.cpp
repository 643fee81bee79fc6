#include "reference/experiment/experiment_json.hpp"

#include "reference/experiment/json_form.hpp"
#include "reference/optim/formula_names.hpp"

namespace zerocts {

using nlohmann::json;

void Describe(JsonForm& form, HyperParameters& values) {
  form.Field("lr", values.lr);
  form.Field("weight_decay", values.weight_decay);
  form.Field("momentum", values.momentum);
  form.Field("beta1", values.beta1);
  form.Field("beta2", values.beta2);
  form.Field("eps", values.eps);
  form.Newer("dampening", values.dampening);
  form.Newer("nesterov", values.nesterov);
}

void Describe(JsonForm& form, ParameterSpec& parameter) {
  form.Fields("name", parameter.name, "shape", parameter.shape, "group", parameter.group);
}

void Describe(JsonForm& form, HyperParameterChange& change) {
  form.Fields("step", change.step, "group", change.group, "values", change.values);
}

void Describe(JsonForm& form, SliceOrder& order) {
  form.Unusual("slices", order.slices, 1);
  form.Unusual("slice_rounding", order.rounding, Rounding::kFp32, SliceRoundingFromString);
}

void Describe(JsonForm& form, MlpSpec& spec) {
  form.Field("vocab", spec.vocab);
  form.Field("context", spec.context);
  form.Field("embedding", spec.embedding);
  form.Field("hidden", spec.hidden);
  Describe(form, spec.slice_order);
  form.Unusual("vocab_parallel", spec.vocab_parallel);
  form.Unusual("experts", spec.experts, 1);
}

void Describe(JsonForm& form, GptSpec& spec) {
  form.Field("vocab", spec.vocab);
  form.Field("context", spec.context);
  form.Field("layers", spec.layers);
  form.Field("heads", spec.heads);
  form.Unusual("kv_heads", spec.kv_heads, spec.heads);
  form.Field("width", spec.width);
  form.Field("tied", spec.tied);
  Describe(form, spec.slice_order);
  form.Unusual("vocab_parallel", spec.vocab_parallel);
  form.Unusual("sequence_parallel", spec.sequence_parallel);
}

json ToJson(const ModelSpec& model) {
  return {{KindOf(model), std::visit([](const auto& spec) { return JsonForm::ToJson(spec); }, model)}};
}

ModelSpec ModelSpecFromJson(const json& value, const std::string& path) {
  if (!value.is_object() || value.size() != 1) ThrowUnexpected(path, "an object with the one field mlp or gpt", value);
  const std::string& kind = value.begin().key();
  if (kind == "mlp") return JsonForm::From<MlpSpec>(value["mlp"], path + ".mlp");
  if (kind == "gpt") return JsonForm::From<GptSpec>(value["gpt"], path + ".gpt");
  ThrowUnexpected(path, "the field mlp or gpt", value);
}

void WriteJson(json& value, const ModelSpec& model) { value = ToJson(model); }
void ReadJson(const json& value, const std::string& path, ModelSpec& model) { model = ModelSpecFromJson(value, path); }

void Describe(JsonForm& form, OptimizerFormula& formula) {
  form.Field("moments", formula.moments, MomentOrderFromString);
  form.Field("decay", formula.decay, DecayPositionFromString);
  form.Field("bias_correction", formula.bias_correction, BiasCorrectionFromString);
  form.Field("epsilon", formula.epsilon, EpsilonPositionFromString);
  form.Field("update", formula.update, UpdateOrderFromString);
  form.Field("products", formula.products, ProductRoundingFromString);
  form.Unusual("beta_powers", formula.beta_powers, BetaPowers::kProduct, BetaPowersFromString);
  form.Unusual("matrix_products", formula.matrix_products, MatrixProducts::kFp32, MatrixProductsFromString);
}

void Describe(JsonForm& form, LossScaling& scaling) {
  form.Field("kind", scaling.kind, LossScaleKindFromString);
  form.Field("scale", scaling.scale);
  form.Field("growth_factor", scaling.growth_factor);
  form.Field("backoff_factor", scaling.backoff_factor);
  form.Field("growth_interval", scaling.growth_interval);
  form.Field("hysteresis", scaling.hysteresis);
  form.Field("renew_hysteresis", scaling.renew_hysteresis);
  form.Field("minimum", scaling.minimum);
}

void Describe(JsonForm& form, StepSpan& span) {
  form.Fields("parameter", span.parameter, "begin", span.begin, "end", span.end);
}

void Describe(JsonForm& form, MissingGradient& missing) {
  form.Fields("parameter", missing.parameter, "step", missing.step, "g", missing.g);
}

void Describe(JsonForm& form, TiedParameter& tie) { form.Fields("parameter", tie.parameter, "owner", tie.owner); }

void Describe(JsonForm& form, ParameterPrecision& entry) {
  form.Field("parameter", entry.parameter);
  form.Field("precision", entry.precision, PrecisionFromString);
}

void Describe(JsonForm& form, ParameterRoles& roles) {
  form.Field("frozen", roles.frozen);
  form.Field("without_gradient", roles.without_gradient);
  form.Unusual("missing", roles.missing);
  form.Field("tied", roles.tied);
  form.Field("buffers", roles.buffers);
  form.Field("precisions", roles.precisions);
}

void Describe(JsonForm& form, ExpertParameter& entry) {
  form.Fields("parameter", entry.parameter, "expert", entry.expert);
}

void Describe(JsonForm& form, Experts& experts) {
  form.Field("count", experts.count);
  form.Field("parameters", experts.parameters);
  form.Unusual("divisor", experts.divisor, ExpertDivisor::kWorld, ExpertDivisorFromString);
}

void Describe(JsonForm& form, PlantedValue& planted) {
  form.Field("step", planted.step);
  form.Field("g", planted.g);
  form.Field("parameter", planted.parameter);
  form.Field("element", planted.element);
  form.Field("value", planted.value, NonFiniteFromString);
}

void Describe(JsonForm& form, Experiment& e) {
  form.Field("parameters", e.parameters);
  form.Field("model", e.model);
  form.Field("initial", e.initial, InitialValuesFromString);
  form.Unusual("initial_exponent", e.initial_exponent);
  form.Field("precision", e.precision, PrecisionFromString);
  form.Field("optimizer", e.optimizer, OptimizerKindFromString);
  form.Field("groups", e.groups);
  form.Field("changes", e.changes);
  form.Field("max_norm", e.max_norm);
  form.Field("clip_epsilon", e.clip_epsilon);
  form.Field("world_size", e.world_size);
  form.Field("micro_batches", e.micro_batches);
  form.Field("steps", e.steps);
  form.Field("gradients", e.gradients, GradientSourceFromString);
  form.Field("gradient_exponent", e.gradient_exponent);
  form.Unusual("curvature", e.curvature);
  form.Field("batch", e.batch);
  form.Field("text", e.text);
  form.Field("text_hash", e.text_hash);
  form.Field("seed", e.seed);
  form.Newer("formula", e.formula);
  form.Newer("clip_norm", e.clip_norm, NormKindFromString);
  form.Newer("clip_formula", e.clip_formula, ClipFormulaFromString);
  form.Newer("accumulation", e.accumulation, AccumulationFromString);
  form.Newer("reduction", e.reduction, ReductionFromString);
  form.Newer("loss_scaling", e.loss_scaling);
  form.Newer("roles", e.roles);
  form.Unusual("experts", e.experts);
  form.Newer("planted", e.planted);
}

json ToJson(const Experiment& experiment) { return JsonForm::ToJson(experiment); }

Experiment ExperimentFromJson(const json& value) { return JsonForm::From<Experiment>(value, "experiment"); }

}  // namespace zerocts
