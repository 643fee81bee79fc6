// What a case gets wrong in an option or in a call, which no declaration covers.
#include "conformance/cases/dimensions/case_fields.hpp"
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/probes.hpp"

namespace zerocts {
namespace {

std::string BeyondInvalidRequest(const Case& c, const Capabilities&) {
  switch (c.invalid_request) {
    case InvalidRequest::kNone: return "";
    case InvalidRequest::kOption: return fmt::format("the option {} (not declared)", c.invalid_option);
    case InvalidRequest::kFewerGradients: return "one gradient fewer than there are parameters";
    case InvalidRequest::kMoreGradients: return "one gradient more than there are parameters";
    case InvalidRequest::kGradientOfFrozen: return "the gradient of a parameter that is frozen";
    case InvalidRequest::kFewerMicroBatches: return "a step after one micro-batch fewer than open named";
    case InvalidRequest::kMoreMicroBatches: return "one micro-batch more than open named";
  }
  throw std::logic_error("InvalidRequest out of range");
}

void GiveOption(Case& c, const std::string& key) {
  c.invalid_request = InvalidRequest::kOption;
  c.invalid_option = key + "=value_of_nobody";
}

/// Another one of the keys in each case.
void GiveValueOfNobody(Case& c, const Capabilities& can) {
  if (!can.option_keys.empty()) GiveOption(c, can.option_keys[c.experiment.seed % can.option_keys.size()]);
}

void CallWrongly(Case& c, InvalidRequest invalid_request) {
  Experiment& e = c.experiment;
  if (e.gradients == GradientSource::kModel || e.curvature != 0) return;
  if (invalid_request == InvalidRequest::kGradientOfFrozen) e.roles.frozen = {{0, 0, 1}};
  c.invalid_request = invalid_request;
}

std::vector<UndeclaredProbe> Probes() {
  std::vector<UndeclaredProbe> probes = ProbeForEach<InvalidRequest>(
      {InvalidRequest::kFewerGradients, InvalidRequest::kMoreGradients, InvalidRequest::kGradientOfFrozen,
       InvalidRequest::kFewerMicroBatches, InvalidRequest::kMoreMicroBatches},
      CallWrongly);
  probes.push_back(ProbeFor([](Case& c) { GiveOption(c, "option_of_nobody"); }));
  probes.emplace_back(GiveValueOfNobody);
  return probes;
}

}  // namespace

Dimension InvalidRequestDimension() {
  return {.name = "invalid request",
          .form = {.fields = {NewerField(FieldOf("invalid_request", &Case::invalid_request, InvalidRequestFromString)),
                              NewerField(FieldOf("invalid_option", &Case::invalid_option))}},
          .declared = {.beyond = BeyondInvalidRequest, .probes = Probes()}};
}

}  // namespace zerocts
