// Single parameters of another dtype than the rest.
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/probes.hpp"

namespace zerocts {
namespace {

bool MixesPrecisions(const Case& c) {
  return std::ranges::any_of(c.experiment.roles.precisions, [&](const ParameterPrecision& entry) {
    return entry.precision != c.experiment.precision;
  });
}

bool HasSeveralDtypes(const RunTerms& terms) { return terms.can.mixed_dtypes && terms.can.param_dtypes.size() > 1; }

std::string BeyondMixedDtypes(const Case& c, const Capabilities& can) {
  for (const ParameterPrecision& entry : c.experiment.roles.precisions) {
    if (Contains(can.param_dtypes, entry.precision)) continue;
    return Beyond(ToString(entry.precision) + " parameters", NamesOf(can.param_dtypes));
  }
  return Undeclared("mixed_dtypes", MixesPrecisions(c), can.mixed_dtypes);
}

bool DrawPrecisions(Drawing& drawing) {
  Experiment& e = drawing.e;
  const bool rounded_by_model = !drawing.given() && e.precision == Precision::kBf16;
  const bool can_mix = drawing.can.mixed_dtypes && drawing.can.param_dtypes.size() > 1 && !rounded_by_model;
  if (!drawing.varied || !can_mix || !drawing.draws.Percent(60)) return true;
  const Precision other = e.precision == Precision::kBf16 ? Precision::kFp32 : Precision::kBf16;
  for (int p = 0; p < drawing.parameters(); ++p) {
    if (e.roles.OwnerOf(p) == p && drawing.draws.Percent(50)) e.roles.precisions.push_back({p, other});
  }
  return true;
}

void FewerPrecisions(Simplifying& simpler) {
  simpler.TryFewer([](auto& e) -> auto& { return e.roles.precisions; });
}

/// How many parameters are of the other dtype.
std::string ShareOfOthers(const Case& c) {
  const Experiment& e = c.experiment;
  int owners = 0, others = 0;
  for (int p = 0; p < static_cast<int>(e.parameters.size()); ++p) {
    owners += e.roles.OwnerOf(p) == p;
    others += e.roles.OwnerOf(p) == p && PrecisionOf(e, p) != e.precision;
  }
  return others == 0 ? "none" : others == owners ? "all" : "some";
}

}  // namespace

Dimension MixedPrecisionsDimension() {
  return {.name = "mixed precisions",
          .values = ValuesIf(HasSeveralDtypes, {"none", "some", "all"}, ShareOfOthers),
          .form = {.features = {{"mixed_precisions", "some parameters are bf16 and some fp32", MixesPrecisions}}},
          .declared = {.requirements = {{{"mixed_precisions"}, "mixed_dtypes", HasSeveralDtypes}},
                       .capabilities = {DeclaresFlag("mixed_dtypes", &Capabilities::mixed_dtypes)},
                       .beyond = BeyondMixedDtypes,
                       .probes = {ProbeFor([](Case& c) {
                         const bool is_bf16 = c.experiment.precision == Precision::kBf16;
                         c.experiment.roles.precisions = {{0, is_bf16 ? Precision::kFp32 : Precision::kBf16}};
                       })}},
          .drawn = {
              .on_request = true, .draw = DrawPrecisions, .simplifications = {{Simplicity::kRoles, FewerPrecisions}}}};
}

}  // namespace zerocts
