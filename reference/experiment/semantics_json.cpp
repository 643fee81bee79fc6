#include "reference/experiment/semantics_json.hpp"

#include "reference/experiment/json_readers.hpp"
#include "reference/optim/formula_names.hpp"

namespace zerocts {

using nlohmann::json;

json FormulaToJson(const OptimizerFormula& f) {
  json object = {{"moments", ToString(f.moments)},
                 {"decay", ToString(f.decay)},
                 {"bias_correction", ToString(f.bias_correction)},
                 {"epsilon", ToString(f.epsilon)},
                 {"update", ToString(f.update)},
                 {"products", ToString(f.products)}};
  // Written only when it is not as usual: texts from before this choice was known stay what they are.
  if (f.beta_powers != BetaPowers::kProduct) object["beta_powers"] = ToString(f.beta_powers);
  return object;
}

OptimizerFormula FormulaFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  OptimizerFormula f;
  f.moments = EnumFrom(fields, "moments", MomentOrderFromString);
  f.decay = EnumFrom(fields, "decay", DecayPlaceFromString);
  f.bias_correction = EnumFrom(fields, "bias_correction", BiasCorrectionFromString);
  f.epsilon = EnumFrom(fields, "epsilon", EpsilonPlaceFromString);
  f.update = EnumFrom(fields, "update", UpdateOrderFromString);
  f.products = EnumFrom(fields, "products", ProductRoundingFromString);
  if (fields.Has("beta_powers")) f.beta_powers = EnumFrom(fields, "beta_powers", BetaPowersFromString);
  fields.ExpectNoOthers();
  return f;
}

namespace {

json LossScalingToJson(const LossScaling& scaling) {
  return {{"kind", ToString(scaling.kind)},
          {"scale", FloatToJson(scaling.scale)},
          {"growth_factor", FloatToJson(scaling.growth_factor)},
          {"backoff_factor", FloatToJson(scaling.backoff_factor)},
          {"growth_interval", scaling.growth_interval},
          {"hysteresis", scaling.hysteresis},
          {"renew_hysteresis", scaling.renew_hysteresis},
          {"minimum", FloatToJson(scaling.minimum)}};
}

LossScaling LossScalingFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  LossScaling scaling;
  scaling.kind = EnumFrom(fields, "kind", LossScaleKindFromString);
  scaling.scale = fields.Float("scale");
  scaling.growth_factor = fields.Float("growth_factor");
  scaling.backoff_factor = fields.Float("backoff_factor");
  scaling.growth_interval = fields.Integer("growth_interval");
  scaling.hysteresis = fields.Integer("hysteresis");
  scaling.renew_hysteresis = fields.Bool("renew_hysteresis");
  scaling.minimum = fields.Float("minimum");
  fields.ExpectNoOthers();
  return scaling;
}

json SpanToJson(const StepSpan& span) {
  return {{"parameter", span.parameter}, {"begin", span.begin}, {"end", span.end}};
}

StepSpan SpanFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  const StepSpan span{fields.Int("parameter"), fields.Integer("begin"), fields.Integer("end")};
  fields.ExpectNoOthers();
  return span;
}

json MissingToJson(const MissingGradient& missing) {
  return {{"parameter", missing.parameter}, {"step", missing.step}, {"g", missing.g}};
}

MissingGradient MissingFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  const MissingGradient missing{fields.Int("parameter"), fields.Integer("step"), fields.Integer("g")};
  fields.ExpectNoOthers();
  return missing;
}

json TiedToJson(const TiedParameter& tie) { return {{"parameter", tie.parameter}, {"owner", tie.owner}}; }

TiedParameter TiedFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  const TiedParameter tie{fields.Int("parameter"), fields.Int("owner")};
  fields.ExpectNoOthers();
  return tie;
}

json PrecisionToJson(const ParameterPrecision& entry) {
  return {{"parameter", entry.parameter}, {"precision", ToString(entry.precision)}};
}

ParameterPrecision PrecisionFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  const ParameterPrecision entry{fields.Int("parameter"), EnumFrom(fields, "precision", PrecisionFromString)};
  fields.ExpectNoOthers();
  return entry;
}

json RolesToJson(const ParameterRoles& roles) {
  json object = {{"frozen", ArrayOf(roles.frozen, SpanToJson)},
                 {"without_gradient", ArrayOf(roles.without_gradient, SpanToJson)},
                 {"tied", ArrayOf(roles.tied, TiedToJson)},
                 {"buffers", roles.buffers},
                 {"precisions", ArrayOf(roles.precisions, PrecisionToJson)}};
  // Written only when there are some: texts, and hashes of them, from before this role was known stay what they are.
  if (!roles.missing.empty()) object["missing"] = ArrayOf(roles.missing, MissingToJson);
  return object;
}

json ExpertsToJson(const Experts& experts) {
  const auto entry = [](const ExpertParameter& e) { return json{{"parameter", e.parameter}, {"expert", e.expert}}; };
  json object = {{"count", experts.count}, {"parameters", ArrayOf(experts.parameters, entry)}};
  if (experts.divisor != ExpertDivisor::kWorld) object["divisor"] = ToString(experts.divisor);  // as `missing` above
  return object;
}

ExpertParameter ExpertParameterFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  const ExpertParameter entry{fields.Int("parameter"), fields.Int("expert")};
  fields.ExpectNoOthers();
  return entry;
}

Experts ExpertsFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  Experts experts;
  experts.count = fields.Int("count");
  experts.parameters = ItemsFrom<ExpertParameter>(fields, "parameters", ExpertParameterFrom);
  if (fields.Has("divisor")) experts.divisor = EnumFrom(fields, "divisor", ExpertDivisorFromString);
  fields.ExpectNoOthers();
  return experts;
}

int IntFrom(const json& value, const std::string& path) {
  const int64_t integer = IntegerFrom(value, path);
  if (integer != static_cast<int>(integer)) ThrowUnexpected(path, "an integer of 32 bits", value);
  return static_cast<int>(integer);
}

ParameterRoles RolesFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  ParameterRoles roles;
  roles.frozen = ItemsFrom<StepSpan>(fields, "frozen", SpanFrom);
  roles.without_gradient = ItemsFrom<StepSpan>(fields, "without_gradient", SpanFrom);
  if (fields.Has("missing")) roles.missing = ItemsFrom<MissingGradient>(fields, "missing", MissingFrom);
  roles.tied = ItemsFrom<TiedParameter>(fields, "tied", TiedFrom);
  roles.buffers = ItemsFrom<int>(fields, "buffers", IntFrom);
  roles.precisions = ItemsFrom<ParameterPrecision>(fields, "precisions", PrecisionFrom);
  fields.ExpectNoOthers();
  return roles;
}

json PlantedToJson(const PlantedValue& planted) {
  return {{"step", planted.step},
          {"g", planted.g},
          {"parameter", planted.parameter},
          {"element", planted.element},
          {"value", ToString(planted.value)}};
}

PlantedValue PlantedFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  PlantedValue planted;
  planted.step = fields.Integer("step");
  planted.g = fields.Integer("g");
  planted.parameter = fields.Int("parameter");
  planted.element = fields.Integer("element");
  planted.value = EnumFrom(fields, "value", NonFiniteFromString);
  fields.ExpectNoOthers();
  return planted;
}

}  // namespace

void AddSemantics(const Experiment& e, json& object) {
  object["formula"] = FormulaToJson(e.formula);
  object["clip_norm"] = ToString(e.clip_norm);
  object["clip_formula"] = ToString(e.clip_formula);
  object["accumulation"] = ToString(e.accumulation);
  object["reduction"] = ToString(e.reduction);
  object["loss_scaling"] = LossScalingToJson(e.loss_scaling);
  object["roles"] = RolesToJson(e.roles);
  object["planted"] = ArrayOf(e.planted, PlantedToJson);
  if (e.experts != Experts{}) object["experts"] = ExpertsToJson(e.experts);  // as `missing` above
}

void ReadSemantics(JsonFields& fields, Experiment& e) {
  const auto object = [&](const char* name, auto from, auto& value) {
    if (fields.Has(name)) value = from(fields.Any(name), fields.PathOf(name));
  };
  const auto enumerator = [&](const char* name, auto from_string, auto& value) {
    if (fields.Has(name)) value = EnumFrom(fields, name, from_string);
  };
  object("formula", FormulaFrom, e.formula);
  enumerator("clip_norm", NormKindFromString, e.clip_norm);
  enumerator("clip_formula", ClipFormulaFromString, e.clip_formula);
  enumerator("accumulation", AccumulationFromString, e.accumulation);
  enumerator("reduction", ReductionFromString, e.reduction);
  object("loss_scaling", LossScalingFrom, e.loss_scaling);
  object("roles", RolesFrom, e.roles);
  object("experts", ExpertsFrom, e.experts);
  if (fields.Has("planted")) e.planted = ItemsFrom<PlantedValue>(fields, "planted", PlantedFrom);
}

}  // namespace zerocts
