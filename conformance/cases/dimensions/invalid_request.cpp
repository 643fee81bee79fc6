// What a case gets wrong in an option or in a call, which no declaration covers.
#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/dimensions/case_fields.hpp"
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/probes.hpp"

namespace zerocts {
namespace {

/// A field of open that is a code, and the first number that is none: a later header may define it.
struct CodedField {
  const char* name;
  uint32_t zerocts_open_args::*field;
  uint32_t undefined;
};
using Args = zerocts_open_args;
constexpr CodedField kCodedFields[] = {
    {"stage", &Args::stage, 4},
    {"optimizer", &Args::optimizer, ZEROCTS_MUON + 1},
    {"param_dtype", &Args::param_dtype, ZEROCTS_BF16 + 1},
    {"accumulation_dtype", &Args::accumulation_dtype, ZEROCTS_BF16 + 1},
    {"reduce_dtype", &Args::reduce_dtype, ZEROCTS_BF16 + 1},
    {"offload", &Args::offload, ZEROCTS_OFFLOAD_FULL + 1},
    {"overlap", &Args::overlap, ZEROCTS_OVERLAP_ON + 1},
    {"tensor_parts", &Args::tensor_parts, ZEROCTS_PARTS_CEIL + 1},
};

std::string CodeIn(const CodedField& coded) { return fmt::format("{}={}", coded.name, coded.undefined); }

void TellUndefinedCode(const Case& c, zerocts_open_args& args) {
  if (c.invalid_request != InvalidRequest::kCode) return;
  for (const CodedField& coded : kCodedFields) {
    if (c.invalid_option == CodeIn(coded)) args.*coded.field = coded.undefined;
  }
}

std::string BeyondInvalidRequest(const Case& c, const Capabilities&) {
  switch (c.invalid_request) {
    case InvalidRequest::kNone: return "";
    case InvalidRequest::kOption: return fmt::format("the option {} (not declared)", c.invalid_option);
    case InvalidRequest::kCode: return fmt::format("the code {} (not defined in zerocts_subject.h)", c.invalid_option);
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
  for (const CodedField& coded : kCodedFields) {
    probes.push_back(ProbeFor([&](Case& c) {
      c.invalid_request = InvalidRequest::kCode;
      c.invalid_option = CodeIn(coded);
    }));
  }
  probes.push_back(ProbeFor([](Case& c) { GiveOption(c, "option_of_nobody"); }));
  probes.emplace_back(GiveValueOfNobody);
  return probes;
}

}  // namespace

Dimension InvalidRequestDimension() {
  return {.name = "invalid request",
          .form = {.fields = {NewerField(FieldOf("invalid_request", &Case::invalid_request, InvalidRequestFromString)),
                              NewerField(FieldOf("invalid_option", &Case::invalid_option))},
                   .tell = TellUndefinedCode},
          .declared = {.beyond = BeyondInvalidRequest, .probes = Probes()}};
}

}  // namespace zerocts
