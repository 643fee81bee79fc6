// Where gradients come from: given by the host in several ways, or a model's (model.cpp).
#include "conformance/cases/dimensions/declarations.hpp"

namespace zerocts {
namespace {

template <GradientSource source>
bool ComesFrom(const Case& c) {
  return c.experiment.gradients == source;
}

/// Self parity needs an order in which one rank can add as many do.
bool HasOrderOfOneRank(const RunTerms& terms) {
  return terms.fidelity != Fidelity::kSelfParity || NamesAnOrderOfOneRank(terms.can);
}

bool DrawSource(Drawing& drawing) {
  drawing.e.gradients = drawing.draws.Pick(drawing.allowed.gradients);
  return true;
}

bool HasOrderForRandom(const RunTerms& terms) { return HasOrder(terms) && HasOrderOfOneRank(terms); }

NamedValues Sources() {
  using enum GradientSource;
  const auto name = [](GradientSource source, HoldsOfTerms holds = nullptr) {
    return AvailableName{ToString(source), std::move(holds)};
  };
  return ValuesOf({name(kIndexCoded), name(kOneHot), name(kPythagorean), name(kZero), name(kUniform, HasOrderForRandom),
                   name(kModel, HasModels)},
                  [](const Case& c) { return ToString(c.experiment.gradients); });
}

}  // namespace

Dimension GradientsDimension() {
  return {.name = "gradients",
          .values = Sources(),
          .form = {.features = {{"random_gradients",
                                 "gradients are random over many exponents, so that the order of addition shows",
                                 ComesFrom<GradientSource::kUniform>},
                                {"one_hot", "each element's gradient comes from one micro-batch alone",
                                 ComesFrom<GradientSource::kOneHot>}}},
          .declared = {.requirements = {{{"random_gradients"}, "a declared reduction order", HasOrder},
                                        {{"random_gradients"}, "the reduction order rank or tree", HasOrderOfOneRank}}},
          .drawn = {.draw = DrawSource}};
}

}  // namespace zerocts
