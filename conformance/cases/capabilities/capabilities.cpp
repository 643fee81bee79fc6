#include "conformance/cases/capabilities/capabilities.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "conformance/cases/capabilities/capability_fields.hpp"
#include "reference/experiment/json_fields.hpp"
#include "reference/experiment/json_text.hpp"

namespace zerocts {

using nlohmann::json;

namespace {

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

bool IsGiven(const std::string& option, const SubjectOptionValues& options) {
  return std::ranges::any_of(options, [&](const auto& given) { return given.first + "=" + given.second == option; });
}

/// What is declared, with what "with_option" says of the options that are given: {"math=fast": {"own_models": true}}
/// replaces "own_models" beside it under --option math=fast. Throws std::invalid_argument with a sentence.
json WithOptions(json declared, const SubjectOptionValues& options) {
  if (!declared.is_object() || !declared.contains("with_option")) return declared;
  const json with_option = declared["with_option"];
  declared.erase("with_option");
  if (!with_option.is_object()) ThrowUnexpected("capabilities.with_option", "an object of key=value", with_option);
  for (const auto& [option, entries] : with_option.items()) {
    if (!entries.is_object()) {
      ThrowUnexpected("capabilities.with_option." + option, "an object of capabilities", entries);
    }
    if (IsGiven(option, options)) declared.update(entries);
  }
  return declared;
}

/// The keys of the options that it speaks of, sorted, each once. Expects what WithOptions took.
std::vector<std::string> KeysOfOptions(const json& declared) {
  std::set<std::string> keys;
  if (!declared.is_object() || !declared.contains("with_option")) return {};
  for (const auto& [option, entries] : declared["with_option"].items()) keys.insert(option.substr(0, option.find('=')));
  return {keys.begin(), keys.end()};
}

}  // namespace

Capabilities CapabilitiesFromJson(const std::string& text, const SubjectOptionValues& options) {
  const json whole = ParsedCapabilities(text);
  const json value = WithOptions(whole, options);
  JsonFields fields(value, "capabilities");
  Capabilities c;
  c.option_keys = KeysOfOptions(whole);
  for (const CapabilityField& field : CapabilityFields()) {
    if (fields.Has(field.name)) field.read(fields, c);  // what is left out is not declared
  }
  ExpectProbeable(c);
  ExpectLoadable(c);
  ExpectMesh(c);
  ExpectModelsOfEvents(c);
  ExpectOneOrder(c);
  fields.ExpectNoOthers();
  return c;
}

json ToJson(const Capabilities& c) {
  json object = json::object();
  for (const CapabilityField& field : CapabilityFields()) object[field.name] = field.write(c);
  return object;
}

json DeclaredOf(const Capabilities& c) {
  json object = json::object();
  for (const CapabilityField& field : CapabilityFields()) {
    json declared = field.write(c);
    if (declared != field.write(Capabilities{})) object[field.name] = std::move(declared);
  }
  return object;
}

}  // namespace zerocts
