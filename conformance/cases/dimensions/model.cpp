// A model that is trained on text: its gradients are the host's, or the subject computes them itself.
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/text_training.hpp"
#include "conformance/cases/draws/shapes.hpp"

namespace zerocts {
namespace {

bool IsOnText(const Case& c) { return c.experiment.gradients == GradientSource::kModel; }
bool IsBounded(const Case& c) { return c.fidelity == Fidelity::kBounded; }

bool HasGroupsAndOrder(const RunTerms& terms) { return terms.can.groups && HasNamedOrder(terms); }

bool HasModelsOfBits(const RunTerms& terms) {
  return AreModelsJudgedBy(terms.fidelity, terms.can) && (terms.can.host_computes_models || ComputesModels(terms.can));
}

bool IsParity(const RunTerms& terms) { return terms.fidelity == Fidelity::kSelfParity; }

bool HasGroupsAndMlp(const RunTerms& terms) {
  return terms.can.groups && Contains<std::string>(terms.can.models, "mlp");
}

bool HasModelsWithinBound(const RunTerms& terms) { return AreModelsJudgedBy(Fidelity::kBounded, terms.can); }

std::string ArithmeticOf(const Capabilities& can) {
  return can.inexact_models && can.own_models ? "inexact_models, own_models"
         : can.inexact_models                 ? "inexact_models"
                                              : "own_models";
}

/// A bounded case is about the subject's own arithmetic.
std::string BeyondModels(const Case& c, const Capabilities& can) {
  if (!IsOnText(c)) return "";
  const std::string kind = KindOf(*c.experiment.model);
  const bool computes = Contains(can.models, kind);
  if (computes && !AreModelsJudgedBy(c.fidelity, can)) {
    return fmt::format("{} of the model {} (declared: {})", IsBounded(c) ? "a bound" : "bits", kind, ArithmeticOf(can));
  }
  if (computes || (can.host_computes_models && !IsBounded(c))) return "";
  return Beyond("gradients of the model " + kind, can.models);
}

bool DrawTextAndModel(Drawing& drawing) {
  if (drawing.given()) return true;
  Experiment& e = drawing.e;
  const int64_t batch = drawing.draws.Between(2, 5);
  TrainOnText(e, drawing.space.bounded() ? ModelSpec(DrawMlp(drawing.draws)) : DrawModel(drawing.draws), batch);
  e.initial = drawing.space.initial == InitialValues::kUniform ? InitialValues::kUniform : InitialValues::kModel;
  return true;
}

void TryModel(Simplifying& simpler, const ModelSpec& model) {
  simpler.Try([&](Case&, Experiment& e) {
    e.model = model;
    if (Problem(model).empty()) SetModel(e, model);
  });
}

/// With one of its sizes smaller.
template <typename Spec>
void TrySmaller(Simplifying& simpler, const Spec& spec, std::initializer_list<int64_t Spec::*> sizes) {
  for (int64_t Spec::*size : sizes) {
    for (const int64_t smaller : Simplifying::Below(spec.*size, 1)) {
      Spec candidate = spec;
      candidate.*size = smaller;
      TryModel(simpler, candidate);
    }
  }
}

void SmallerThan(Simplifying& simpler, const MlpSpec& mlp) {
  for (size_t layer = 0; layer < mlp.hidden.size(); ++layer) {
    MlpSpec shallower = mlp;
    shallower.hidden.erase(shallower.hidden.begin() + static_cast<int64_t>(layer));
    TryModel(simpler, shallower);
  }
  TrySmaller(simpler, mlp, {&MlpSpec::vocab, &MlpSpec::context, &MlpSpec::embedding});
  for (size_t layer = 0; layer < mlp.hidden.size(); ++layer) {
    for (const int64_t smaller : Simplifying::Below(mlp.hidden[layer], 1)) {
      MlpSpec narrower = mlp;
      narrower.hidden[layer] = smaller;
      TryModel(simpler, narrower);
    }
  }
}

/// Fewer heads, with keys and values of their own where all have them.
void FewerHeads(Simplifying& simpler, const GptSpec& gpt) {
  for (const int64_t fewer : Simplifying::Below(gpt.heads, 1)) {
    GptSpec candidate = gpt;
    candidate.heads = fewer;
    if (gpt.kv_heads == gpt.heads) candidate.kv_heads = fewer;
    TryModel(simpler, candidate);
  }
  if (gpt.kv_heads != gpt.heads) TrySmaller(simpler, gpt, {&GptSpec::kv_heads});
}

void SmallerThan(Simplifying& simpler, const GptSpec& gpt) {
  TryModel(simpler, MlpSpec{.vocab = gpt.vocab, .context = gpt.context, .embedding = gpt.width, .hidden = {}});
  TrySmaller(simpler, gpt, {&GptSpec::layers});
  FewerHeads(simpler, gpt);
  TrySmaller(simpler, gpt, {&GptSpec::vocab, &GptSpec::context, &GptSpec::width});
  GptSpec one_head_of_one = gpt;
  one_head_of_one.heads = one_head_of_one.kv_heads = one_head_of_one.width = 1;
  TryModel(simpler, one_head_of_one);
}

void SmallerModel(Simplifying& simpler) {
  if (!simpler.e.model) return;
  for (const int64_t batch : Simplifying::Below(simpler.e.batch, 1)) {
    simpler.Try([&](Case&, Experiment& e) { e.batch = batch; });
  }
  std::visit([&](const auto& spec) { SmallerThan(simpler, spec); }, *simpler.e.model);
}

std::string NameOfModel(const Case& c) { return c.experiment.model ? KindOf(*c.experiment.model) : "none"; }

}  // namespace

Dimension ModelDimension() {
  return {.name = "model",
          .values = ValuesIf(HasModels, {"none", "mlp", "gpt"}, NameOfModel),
          .form = {.features = {{"model_on_text", "gradients are those of a model that is trained on text", IsOnText},
                                {"real_training",
                                 "a model that the subject computes itself is trained on text, judged by a bound",
                                 IsBounded}}},
          .declared =
              {.requirements = {{{"model_on_text"}, "groups and a reduction order that has a name", HasGroupsAndOrder},
                                {{"model_on_text"},
                                 "models whose bits repeat",
                                 [](const RunTerms& terms) { return !IsParity(terms) || HasModelsOfBits(terms); }},
                                {{"model_on_text"},
                                 "models by bits",
                                 [](const RunTerms& terms) { return IsParity(terms) || HasModelsOfBits(terms); }},
                                {{"real_training"}, "groups and models mlp", HasGroupsAndMlp},
                                {{"real_training"}, "models within a bound", HasModelsWithinBound},
                                NeedsMoreThanMatrices({"model_on_text", "real_training"}),
                                NeedsNoPlanFile({"model_on_text", "real_training"})},
               .beyond = BeyondModels},
          .drawn = {.draw = DrawTextAndModel, .simplifications = {{Simplicity::kModel, SmallerModel}}}};
}

}  // namespace zerocts
