// What makes an experiment senseless: one sentence per field, the first one found is told.
#include <cmath>
#include <cstdlib>
#include <set>
#include <string_view>
#include <utility>

#include "reference/experiment/exact_codes.hpp"
#include "reference/experiment/experiment.hpp"
#include "reference/experiment/problem_sentences.hpp"
#include "reference/experiment/semantics_problem.hpp"
#include "reference/experiment/value_exponents.hpp"

namespace zerocts {
namespace {

constexpr int64_t kMaxModelDimension = 1 << 20;
constexpr int64_t kMaxSlices = 1 << 10;
constexpr int kMaxExperts = 1 << 10;
constexpr int64_t kMaxMicroBatches = 1 << 20;
constexpr int64_t kMaxBatch = 1 << 20;
constexpr int kLargestCurvatureExponent = 64;

std::string ParameterProblem(const Experiment& e) {
  if (e.parameters.empty()) return "parameters: expected 1 or more, got none";
  std::set<std::string_view> names;
  int64_t total = 0;
  for (size_t p = 0; p < e.parameters.size(); ++p) {
    const ParameterSpec& parameter = e.parameters[p];
    const auto field = [p](const char* name) { return "parameters[" + std::to_string(p) + "]" + name; };
    if (parameter.name.empty()) return Sentence(field(".name"), "some text", parameter.name);
    if (!names.insert(parameter.name).second) return Sentence(field(".name"), "a name of its own", parameter.name);
    for (const int64_t dimension : parameter.shape) {
      if (dimension < 0) return Sentence(field(".shape"), "dimensions of 0 or more", dimension);
    }
    const std::optional<int64_t> numel = CheckedNumel(parameter.shape);
    if (!numel) return field(".shape") + ": expected at most 2^40 elements, got more";
    total += *numel;
    if (total > kLargestNumel) return "parameters: expected at most 2^40 elements in all, got more";
    if (parameter.group < 0 || parameter.group >= static_cast<int>(e.groups.size())) {
      return Sentence(field(".group"), "an index into the " + std::to_string(e.groups.size()) + " groups",
                      parameter.group);
    }
  }
  return "";
}

std::string Dimension(const FieldName& field, int64_t got) {
  return Unless(got >= 1 && got <= kMaxModelDimension, field, "1 to 2^20", got);
}

std::string DivisorProblem(const char* field, int64_t got, const char* what, int64_t numel) {
  return numel % got == 0 ? ""
                          : Sentence(field, std::string("a divisor of ") + what + " " + std::to_string(numel), got);
}

std::string SlicesProblem(const FieldName& field, const SliceOrder& order) {
  return Unless(order.slices >= 1 && order.slices <= kMaxSlices, field, "1 to 2^10", order.slices);
}

/// Which layer has them, and that no tensor ranks split it.
std::string ExpertsProblem(const MlpSpec& mlp) {
  const std::string field = "model.mlp.experts";
  if (mlp.experts < 1 || mlp.experts > kMaxExperts) return Sentence(field, "1 to 2^10", mlp.experts);
  if (mlp.experts == 1) return "";
  if (mlp.hidden.empty()) return Sentence(field, "1 where there is no hidden layer", mlp.experts);
  if (mlp.slice_order.slices == 1 && !mlp.vocab_parallel) return "";
  return Sentence(field, "1 where layers are for tensor ranks to split", mlp.experts);
}

std::string DimensionProblem(const MlpSpec& mlp) {
  std::string problem =
      First(Dimension("model.mlp.vocab", mlp.vocab), Dimension("model.mlp.context", mlp.context),
            Dimension("model.mlp.embedding", mlp.embedding), SlicesProblem("model.mlp.slices", mlp.slice_order));
  for (size_t i = 0; i < mlp.hidden.size() && problem.empty(); ++i) {
    problem = Dimension("model.mlp.hidden[" + std::to_string(i) + "]", mlp.hidden[i]);
  }
  return problem.empty() ? ExpertsProblem(mlp) : problem;
}

std::string DimensionProblem(const GptSpec& gpt) {
  const std::string problem =
      First(Dimension("model.gpt.vocab", gpt.vocab), Dimension("model.gpt.context", gpt.context),
            Dimension("model.gpt.layers", gpt.layers), Dimension("model.gpt.heads", gpt.heads),
            Dimension("model.gpt.kv_heads", gpt.kv_heads), Dimension("model.gpt.width", gpt.width),
            SlicesProblem("model.gpt.slices", gpt.slice_order));
  if (!problem.empty()) return problem;
  return First(DivisorProblem("model.gpt.heads", gpt.heads, "the width", gpt.width),
               DivisorProblem("model.gpt.kv_heads", gpt.kv_heads, "the heads", gpt.heads),
               DivisorProblem("model.gpt.slices", gpt.slice_order.slices, "the heads", gpt.heads),
               DivisorProblem("model.gpt.slices", gpt.slice_order.slices, "the kv_heads", gpt.kv_heads));
}

int64_t LayersOf(const ModelSpec& model) {
  const auto* gpt = std::get_if<GptSpec>(&model);
  return gpt ? gpt->layers : std::ssize(std::get<MlpSpec>(model).hidden);
}

/// Its own groups, or one for all.
bool HasParametersOf(const Experiment& e, std::vector<ParameterSpec> expected) {
  if (e.groups.size() == 1) {
    for (ParameterSpec& parameter : expected) parameter.group = 0;
  }
  return e.parameters == expected;
}

std::string ModelProblem(const Experiment& e) {
  const bool needed = e.gradients == GradientSource::kModel || e.initial == InitialValues::kModel;
  if (!e.model) return needed ? "model: expected one because gradients or initial values come from it, got none" : "";
  const std::string problem = Problem(*e.model);
  const bool has_fewer_than_layers = std::ssize(e.parameters) < LayersOf(*e.model);  // 2^20 layers are not made
  if (problem.empty() && (has_fewer_than_layers || !HasParametersOf(e, ModelParameters(*e.model)))) {
    return "parameters: expected those of the model, in its order, shapes and groups, got others";
  }
  return problem;
}

std::string GroupProblem(const Experiment& e) {
  if (e.groups.empty()) return "groups: expected 1 or more, got none";
  for (size_t i = 0; i < e.groups.size(); ++i) {
    const std::string problem = HyperParameterProblem("groups[" + std::to_string(i) + "]", e.groups[i]);
    if (!problem.empty()) return problem;
  }
  std::set<std::pair<int64_t, int>> changed;
  int64_t last_step = 0;
  for (size_t i = 0; i < e.changes.size(); ++i) {
    const HyperParameterChange& change = e.changes[i];
    const std::string field = "changes[" + std::to_string(i) + "]";
    if (change.step < last_step) {
      return Sentence(field + ".step", std::to_string(last_step) + " or more, ascending", change.step);
    }
    last_step = change.step;
    if (change.group < 0 || change.group >= static_cast<int>(e.groups.size())) {
      return Sentence(field + ".group", "an index into the " + std::to_string(e.groups.size()) + " groups",
                      change.group);
    }
    if (!changed.insert({change.step, change.group}).second) {
      return Sentence(field + ".group", "a group without another change at step " + std::to_string(change.step),
                      change.group);
    }
    const std::string problem = HyperParameterProblem(field + ".values", change.values);
    if (!problem.empty()) return problem;
  }
  return "";
}

std::string ClippingProblem(const Experiment& e) {
  return First(FiniteNotNegative("max_norm", e.max_norm), FiniteNotNegative("clip_epsilon", e.clip_epsilon));
}

std::string SizeProblem(const Experiment& e) {
  const std::string problem = First(AtLeastOne("world_size", e.world_size),
                                    AtLeastOne("micro_batches", e.micro_batches), AtLeastOne("steps", e.steps));
  if (!problem.empty()) return problem;
  const int64_t count = int64_t{e.world_size} * e.micro_batches;
  return count <= kMaxMicroBatches ? "" : Sentence("world_size * micro_batches", "at most 2^20", count);
}

std::string ExponentProblem(const char* field, int exponent, ExponentRange range) {
  if (range.Contains(exponent)) return "";
  return Sentence(field, std::to_string(range.smallest) + " to " + std::to_string(range.largest), exponent);
}

std::string GradientProblem(const Experiment& e) {
  if (e.gradients == GradientSource::kModel) {
    if (e.text.empty()) {
      return Sentence("text", "the path of a text file because gradients come from the model", e.text);
    }
    if (e.text_hash.size() != 32 || e.text_hash.find_first_not_of("0123456789abcdef") != std::string::npos) {
      return Sentence("text_hash", "32 hex digits (XXH3-128 of the text)", e.text_hash);
    }
    return e.batch <= kMaxBatch ? AtLeastOne("batch", e.batch) : Sentence("batch", "at most 2^20", e.batch);
  }
  const bool coded = IsExact(e.gradients) && e.gradients != GradientSource::kZero;
  if (coded && CodeModulus(e.world_size, e.micro_batches, NarrowestPrecision(e)) == 0) {
    return Sentence("world_size * micro_batches",
                    "a count with a smaller odd part because " + ToString(e.gradients) +
                        " gradients have to be exact in " + ToString(NarrowestPrecision(e)),
                    int64_t{e.world_size} * e.micro_batches);
  }
  return ExponentProblem("gradient_exponent", e.gradient_exponent, GradientExponents(e));
}

/// A power of two, so that its product with a parameter is not rounded.
std::string CurvatureProblem(const Experiment& e) {
  if (e.curvature == 0) return "";
  int exponent = 0;
  const bool given = e.gradients != GradientSource::kModel && e.gradients != GradientSource::kOrderProbe;
  if (!given) return Sentence("curvature", "0 where gradients are of " + ToString(e.gradients), e.curvature);
  if (std::frexp(e.curvature, &exponent) == 0.5f && std::abs(exponent) <= kLargestCurvatureExponent) return "";
  return Sentence("curvature", "0 or a power of two from 2^-65 to 2^63", e.curvature);
}

std::string InitialProblem(const Experiment& e) {
  return ExponentProblem("initial_exponent", e.initial_exponent, InitialExponents());
}

}  // namespace

std::string HyperParameterProblem(const std::string& field, const HyperParameters& h) {
  const auto named = [&](const char* name) { return FieldName(field, name); };
  return First(FiniteNotNegative(named(".lr"), h.lr), FiniteNotNegative(named(".weight_decay"), h.weight_decay),
               BelowOne(named(".momentum"), h.momentum), BelowOne(named(".beta1"), h.beta1),
               BelowOne(named(".beta2"), h.beta2), BelowOne(named(".dampening"), h.dampening),
               !h.nesterov || (h.momentum > 0 && h.dampening == 0)
                   ? ""
                   : field + ".nesterov: expected false, or a momentum above 0 without dampening, got true",
               AboveZero(named(".eps"), h.eps));
}

std::string Problem(const ModelSpec& model) {
  return std::visit([](const auto& spec) { return DimensionProblem(spec); }, model);
}

std::string Problem(const Experiment& experiment) {
  for (const auto problem_of : {GroupProblem, ParameterProblem, ModelProblem, InitialProblem, ClippingProblem,
                                SizeProblem, GradientProblem, CurvatureProblem, SemanticsProblem}) {
    const std::string problem = problem_of(experiment);
    if (!problem.empty()) return problem;
  }
  return "";
}

}  // namespace zerocts
