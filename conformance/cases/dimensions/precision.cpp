// The dtype of parameters and gradients: fixed by the configuration.
#include "conformance/cases/capabilities/abi_codes.hpp"
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/probes.hpp"

namespace zerocts {
namespace {

bool IsBf16(const Case& c) { return c.experiment.precision == Precision::kBf16; }

bool RunsInBf16(const RunTerms& terms) {
  return Contains(terms.can.param_dtypes, Precision::kBf16) && Contains(terms.precisions, Precision::kBf16);
}

bool HasOrderInBf16(const RunTerms& terms) {
  return terms.fidelity != Fidelity::kDeclaredOrder || terms.can.reduction_orders.empty() ||
         Contains(terms.can.ordered_dtypes, Precision::kBf16);
}

std::string BeyondDtypes(const Case& c, const Capabilities& can) {
  const Precision precision = c.experiment.precision;
  return Contains(can.param_dtypes, precision) ? ""
                                               : Beyond(ToString(precision) + " parameters", NamesOf(can.param_dtypes));
}

void TellPrecision(const Case& c, zerocts_open_args& args) { args.param_dtype = CodeOf(c.experiment.precision); }

NamedValues PrecisionsOfTheRun() {
  return {.of = [](const Case& c) { return ToString(c.experiment.precision); },
          .available = [](const RunTerms& terms) { return NamesOf(Common(terms.precisions, terms.can.param_dtypes)); }};
}

}  // namespace

Dimension PrecisionDimension() {
  return {.name = "precision",
          .values = PrecisionsOfTheRun(),
          .form = {.tell = TellPrecision, .features = {{"bf16", "parameters and gradients are bf16", IsBf16}}},
          .declared = {
              .requirements = {{{"bf16"}, "bf16", RunsInBf16},
                               {{"bf16"}, "a reduction order declared for bf16", HasOrderInBf16}},
              .beyond = BeyondDtypes,
              .probes = ProbeForEach<Precision>({Precision::kFp32, Precision::kBf16}, [](Case& c, Precision precision) {
                c.experiment.precision = precision;
              })}};
}

}  // namespace zerocts
