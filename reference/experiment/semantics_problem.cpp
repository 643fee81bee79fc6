#include "reference/experiment/semantics_problem.hpp"

#include <set>
#include <tuple>

#include "reference/experiment/problem_sentences.hpp"
#include "reference/optim/formula_names.hpp"

namespace zerocts {
namespace {

std::string At(const std::string& list, size_t i) { return list + "[" + std::to_string(i) + "]"; }

// --- formula

/// SGD's, and that of Muon, which moves by SGD.
std::string MomentumFormulaProblem(const Experiment& e) {
  const OptimizerFormula& f = e.formula;
  const OptimizerFormula with_ours{.moments = f.moments, .products = f.products, .matrix_products = f.matrix_products};
  if (f == with_ours) return "";
  return "formula: expected decay, bias_correction, epsilon and update at their defaults because " +
         ToString(e.optimizer) + " has none of them, got others";
}

std::string LambFormulaProblem(const OptimizerFormula& f) {
  const std::string because = " because lamb computes an update before it knows its length";
  if (f.decay != DecayPosition::kUpdate) return Sentence("formula.decay", "update" + because, ToString(f.decay));
  if (f.update != UpdateOrder::kQuotient) return Sentence("formula.update", "quotient" + because, ToString(f.update));
  return f.bias_correction != BiasCorrection::kFolded
             ? ""
             : Sentence("formula.bias_correction", "separate or none" + because, ToString(f.bias_correction));
}

std::string AdamFormulaProblem(const Experiment& e) {
  const OptimizerFormula& f = e.formula;
  if (e.optimizer == OptimizerKind::kAdam) {
    const bool in_gradient = f.decay == DecayPosition::kUpdate || f.decay == DecayPosition::kGradient;
    return Unless(in_gradient, "formula.decay", "gradient (or the default) because that is what adam is",
                  ToString(f.decay));
  }
  const bool one_update = f.decay != DecayPosition::kUpdate || f.update == UpdateOrder::kQuotient;
  return Unless(one_update, "formula.update", "quotient because the decay is part of the update", ToString(f.update));
}

std::string FormulaProblem(const Experiment& e) {
  if (e.optimizer == OptimizerKind::kMuon) return MomentumFormulaProblem(e);
  if (e.formula.matrix_products != MatrixProducts::kFp32) {
    return Sentence("formula.matrix_products", "fp32 because " + ToString(e.optimizer) + " multiplies no matrices",
                    ToString(e.formula.matrix_products));
  }
  if (e.optimizer == OptimizerKind::kSgd) return MomentumFormulaProblem(e);
  return e.optimizer == OptimizerKind::kLamb ? LambFormulaProblem(e.formula) : AdamFormulaProblem(e);
}

/// Muon moves matrices, and its momentum is not dampened.
std::string MuonProblem(const Experiment& e) {
  if (e.optimizer != OptimizerKind::kMuon) return "";
  for (size_t p = 0; p < e.parameters.size(); ++p) {
    const auto dimensions = std::ssize(e.parameters[p].shape);
    if (dimensions == 2 || e.roles.IsBuffer(static_cast<int>(p))) continue;
    return Sentence(At("parameters", p) + ".shape", "two dimensions because muon moves matrices", dimensions);
  }
  for (size_t g = 0; g < e.groups.size(); ++g) {
    if (e.groups[g].dampening != 0) {
      return Sentence(At("groups", g) + ".dampening", "0 because muon has none", e.groups[g].dampening);
    }
  }
  for (size_t i = 0; i < e.changes.size(); ++i) {
    const float dampening = e.changes[i].values.dampening;
    if (dampening != 0) return Sentence(At("changes", i) + ".values.dampening", "0 because muon has none", dampening);
  }
  return "";
}

// --- loss scaling

std::string LossScalingProblem(const Experiment& e) {
  const LossScaling& s = e.loss_scaling;
  return First(AboveZero("loss_scaling.scale", s.scale), AboveZero("loss_scaling.growth_factor", s.growth_factor),
               Unless(s.growth_factor >= 1, "loss_scaling.growth_factor", "1 or more", s.growth_factor),
               AboveZero("loss_scaling.backoff_factor", s.backoff_factor),
               Unless(s.backoff_factor <= 1, "loss_scaling.backoff_factor", "at most 1", s.backoff_factor),
               AtLeastOne("loss_scaling.growth_interval", s.growth_interval),
               AtLeastOne("loss_scaling.hysteresis", s.hysteresis), AboveZero("loss_scaling.minimum", s.minimum),
               Unless(s.minimum <= s.scale, "loss_scaling.minimum", "at most the scale", s.minimum));
}

// --- roles of parameters

std::string IndexProblem(const Experiment& e, const std::string& field, int got) {
  const auto count = static_cast<int>(e.parameters.size());
  return Unless(got >= 0 && got < count,
                Sentence(field, "an index into the " + std::to_string(count) + " parameters", got));
}

std::string NoBuffer(const Experiment& e, const std::string& field, int got) {
  return Unless(!e.roles.IsBuffer(got), field, "a parameter that is no buffer", got);
}

std::string NotTied(const Experiment& e, const std::string& field, int got) {
  return Unless(e.roles.OwnerOf(got) == got, field, "the owner of tied parameters", got);
}

std::string SpanProblem(const Experiment& e, const std::string& field, const StepSpan& span) {
  return First(IndexProblem(e, field + ".parameter", span.parameter), NoBuffer(e, field + ".parameter", span.parameter),
               Unless(span.begin >= 0, Sentence(field + ".begin", "0 or more", span.begin)),
               Unless(span.end > span.begin,
                      Sentence(field + ".end", "more than begin, " + std::to_string(span.begin), span.end)));
}

std::string BufferProblem(const Experiment& e) {
  std::set<int> seen;
  for (size_t i = 0; i < e.roles.buffers.size(); ++i) {
    const int buffer = e.roles.buffers[i];
    const std::string field = At("roles.buffers", i);
    const std::string problem = First(IndexProblem(e, field, buffer),
                                      Unless(seen.insert(buffer).second, Sentence(field, "every buffer once", buffer)));
    if (!problem.empty()) return problem;
  }
  return "";
}

std::string TiedProblem(const Experiment& e) {
  std::set<int> seen;
  for (size_t i = 0; i < e.roles.tied.size(); ++i) {
    const auto [parameter, owner] = e.roles.tied[i];
    const std::string field = At("roles.tied", i);
    std::string problem =
        First(IndexProblem(e, field + ".parameter", parameter), IndexProblem(e, field + ".owner", owner),
              NoBuffer(e, field + ".parameter", parameter), NoBuffer(e, field + ".owner", owner));
    if (problem.empty()) {
      problem =
          First(Unless(seen.insert(parameter).second, Sentence(field + ".parameter", "every name once", parameter)),
                Unless(owner < parameter,
                       Sentence(field + ".owner", "a parameter before " + std::to_string(parameter), owner)),
                NotTied(e, field + ".owner", owner),
                Unless(e.parameters[parameter].shape == e.parameters[owner].shape,
                       Sentence(field + ".parameter", "the shape of its owner " + e.parameters[owner].name,
                                e.parameters[parameter].name)),
                Unless(e.parameters[parameter].group == e.parameters[owner].group,
                       Sentence(field + ".parameter", "the group of its owner " + e.parameters[owner].name,
                                e.parameters[parameter].name)));
    }
    if (!problem.empty()) return problem;
  }
  return "";
}

std::string SpansProblem(const Experiment& e) {
  for (size_t i = 0; i < e.roles.frozen.size(); ++i) {
    const std::string field = At("roles.frozen", i);
    const std::string problem =
        First(SpanProblem(e, field, e.roles.frozen[i]), NotTied(e, field + ".parameter", e.roles.frozen[i].parameter));
    if (!problem.empty()) return problem;
  }
  for (size_t i = 0; i < e.roles.without_gradient.size(); ++i) {
    const std::string problem = SpanProblem(e, At("roles.without_gradient", i), e.roles.without_gradient[i]);
    if (!problem.empty()) return problem;
  }
  return "";
}

std::string PrecisionsProblem(const Experiment& e) {
  std::set<int> seen;
  for (size_t i = 0; i < e.roles.precisions.size(); ++i) {
    const auto& [parameter, precision] = e.roles.precisions[i];
    const std::string field = At("roles.precisions", i);
    const bool rounded_by_model = e.gradients == GradientSource::kModel && e.precision == Precision::kBf16;
    const std::string problem = First(
        IndexProblem(e, field + ".parameter", parameter), NotTied(e, field + ".parameter", parameter),
        Unless(seen.insert(parameter).second, Sentence(field + ".parameter", "every parameter once", parameter)),
        Unless(!rounded_by_model || precision == Precision::kBf16,
               Sentence(field + ".precision", "bf16 because a bf16 model rounds every gradient", ToString(precision))));
    if (!problem.empty()) return problem;
  }
  return "";
}

// --- experts

std::string ExpertsProblem(const Experiment& e) {
  const auto& [count, parameters, divisor] = e.experts;
  const bool divides = count >= 1 && e.world_size % count == 0;
  if (!divides) return Sentence("experts.count", "a divisor of the world size " + std::to_string(e.world_size), count);
  if (count == 1 && divisor != ExpertDivisor::kWorld) {
    return Sentence("experts.divisor", "world where experts.count is 1", ToString(divisor));
  }
  if (e.gradients == GradientSource::kModel) {
    const Experts of_model = ExpertsOf(*e.model);
    if (count != of_model.count) {
      return Sentence("experts.count", "the " + std::to_string(of_model.count) + " of the model's own layers", count);
    }
    if (parameters != of_model.parameters) {
      return "experts.parameters: expected those of the model's own layers, got others";
    }
  }
  std::set<int> seen;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const auto [parameter, expert] = parameters[i];
    const std::string field = At("experts.parameters", i);
    const std::string problem =
        First(IndexProblem(e, field + ".parameter", parameter), NoBuffer(e, field + ".parameter", parameter),
              Unless(seen.insert(parameter).second, Sentence(field + ".parameter", "every parameter once", parameter)),
              Unless(count > 1, Sentence(field, "none where experts.count is 1", parameter)),
              Unless(expert >= 0 && expert < count,
                     Sentence(field + ".expert", "0 to " + std::to_string(count - 1), expert)));
    if (!problem.empty()) return problem;
  }
  for (size_t i = 0; i < e.roles.tied.size(); ++i) {
    const auto [parameter, owner] = e.roles.tied[i];
    if (e.experts.ExpertOf(parameter) == e.experts.ExpertOf(owner)) continue;
    return Sentence(At("roles.tied", i) + ".parameter", "the expert of its owner " + e.parameters[owner].name,
                    e.parameters[parameter].name);
  }
  return "";
}

// --- values of single micro-batches

std::string Below(const std::string& field, int64_t count, int64_t got) {
  return Unless(got >= 0 && got < count, Sentence(field, "0 to " + std::to_string(count - 1), got));
}

/// Where in the experiment it stands: `position` has a step, a g and a parameter.
template <typename Position>
std::string PositionProblem(const Experiment& e, const std::string& field, const Position& position) {
  if (e.gradients == GradientSource::kModel) return field + ": expected given gradients, got those of a model";
  return First(Below(field + ".step", e.steps, position.step),
               Below(field + ".g", int64_t{e.world_size} * e.micro_batches, position.g),
               IndexProblem(e, field + ".parameter", position.parameter),
               Unless(e.experts.Has(static_cast<int>(position.g / e.micro_batches), position.parameter),
                      Sentence(field + ".g", "a micro-batch of a rank that has the parameter's expert", position.g)));
}

std::string PlantedProblem(const Experiment& e) {
  for (size_t i = 0; i < e.planted.size(); ++i) {
    const PlantedValue& planted = e.planted[i];
    const std::string field = At("planted", i);
    std::string problem = PositionProblem(e, field, planted);
    if (problem.empty()) {
      problem = Below(field + ".element", e.parameters[planted.parameter].numel(), planted.element);
    }
    if (!problem.empty()) return problem;
  }
  return "";
}

std::string MissingProblem(const Experiment& e) {
  std::set<std::tuple<int, int64_t, int64_t>> seen;
  for (size_t i = 0; i < e.roles.missing.size(); ++i) {
    const MissingGradient& missing = e.roles.missing[i];
    const std::string field = At("roles.missing", i);
    const bool first = seen.insert({missing.parameter, missing.step, missing.g}).second;
    const std::string problem =
        First(PositionProblem(e, field, missing), NoBuffer(e, field + ".parameter", missing.parameter),
              Unless(first, Sentence(field + ".g", "every micro-batch once", missing.g)));
    if (!problem.empty()) return problem;
  }
  return "";
}

}  // namespace

std::string SemanticsProblem(const Experiment& experiment) {
  for (const auto problem_of : {FormulaProblem, MuonProblem, LossScalingProblem, BufferProblem, TiedProblem,
                                SpansProblem, PrecisionsProblem, ExpertsProblem, MissingProblem, PlantedProblem}) {
    const std::string problem = problem_of(experiment);
    if (!problem.empty()) return problem;
  }
  return "";
}

}  // namespace zerocts
