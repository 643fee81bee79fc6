// What a case gets wrong in an option or in a call, which no declaration covers.
#include "conformance/cases/dimensions/case_fields.hpp"
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/probes.hpp"

namespace zerocts {
namespace {

std::string BeyondMistake(const Case& c, const Capabilities&) {
  switch (c.mistake) {
    case Mistake::kNone: return "";
    case Mistake::kOption: return fmt::format("the option {} (not declared)", c.mistaken_option);
    case Mistake::kFewerGradients: return "one gradient fewer than there are parameters";
    case Mistake::kMoreGradients: return "one gradient more than there are parameters";
    case Mistake::kGradientOfFrozen: return "the gradient of a parameter that is frozen";
    case Mistake::kFewerMicroBatches: return "a step after one micro-batch fewer than open named";
    case Mistake::kMoreMicroBatches: return "one micro-batch more than open named";
  }
  throw std::logic_error("Mistake out of range");
}

void GiveOption(Case& c, const std::string& key) {
  c.mistake = Mistake::kOption;
  c.mistaken_option = key + "=value_of_nobody";
}

/// Another one of the keys in each case.
void GiveValueOfNobody(Case& c, const Capabilities& can) {
  if (!can.option_keys.empty()) GiveOption(c, can.option_keys[c.experiment.seed % can.option_keys.size()]);
}

void CallWrongly(Case& c, Mistake mistake) {
  Experiment& e = c.experiment;
  if (e.gradients == GradientSource::kModel || e.curvature != 0) return;
  if (mistake == Mistake::kGradientOfFrozen) e.roles.frozen = {{0, 0, 1}};
  c.mistake = mistake;
}

std::vector<UndeclaredProbe> Probes() {
  std::vector<UndeclaredProbe> probes =
      ProbeForEach<Mistake>({Mistake::kFewerGradients, Mistake::kMoreGradients, Mistake::kGradientOfFrozen,
                             Mistake::kFewerMicroBatches, Mistake::kMoreMicroBatches},
                            CallWrongly);
  probes.push_back(ProbeFor([](Case& c) { GiveOption(c, "option_of_nobody"); }));
  probes.emplace_back(GiveValueOfNobody);
  return probes;
}

}  // namespace

Dimension MistakeDimension() {
  return {.name = "mistake",
          .form = {.fields = {NewerField(FieldOf("mistake", &Case::mistake, MistakeFromString)),
                              NewerField(FieldOf("mistaken_option", &Case::mistaken_option))}},
          .declared = {.beyond = BeyondMistake, .probes = Probes()}};
}

}  // namespace zerocts
