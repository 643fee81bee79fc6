// The dtypes in which gradients are added: over micro-batches, and over ranks.
#include "conformance/cases/capabilities/abi_codes.hpp"
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/probes.hpp"

namespace zerocts {
namespace {

bool AccumulatesInBf16(const Case& c) { return c.experiment.accumulation == Precision::kBf16; }
bool ReducesInBf16(const Case& c) { return c.experiment.reduction == Precision::kBf16; }

std::string BeyondSums(const Case& c, const Capabilities& can) {
  return FirstOf({Unlisted("accumulation in", c.experiment.accumulation, can.accumulation_dtypes),
                  Unlisted("reduction in", c.experiment.reduction, can.reduce_dtypes)});
}

bool DrawSums(Drawing& drawing) {
  if (!drawing.varied || !NamesAnOrder(drawing.can)) return true;
  const Precision bf16 = Precision::kBf16;
  if (Contains(drawing.can.accumulation_dtypes, bf16) && drawing.draws.Percent(50)) drawing.e.accumulation = bf16;
  if (Contains(drawing.can.reduce_dtypes, bf16) && drawing.draws.Percent(60)) drawing.e.reduction = bf16;
  return true;
}

std::vector<UndeclaredProbe> ProbeForSums() {
  std::vector<UndeclaredProbe> probes;
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    probes.push_back(ProbeFor([=](Case& c) { c.experiment.accumulation = precision; }));
    probes.push_back(ProbeFor([=](Case& c) { c.experiment.reduction = precision; }));
  }
  return probes;
}

/// 0: fp32, the usual.
uint32_t CodeOfSum(Precision precision) { return precision == Precision::kFp32 ? 0 : CodeOf(precision); }

void TellSums(const Case& c, zerocts_open_args& args) {
  args.accumulation_dtype = CodeOfSum(c.experiment.accumulation);
  args.reduce_dtype = CodeOfSum(c.experiment.reduction);
}

void PlainSums(Simplifying& simpler) {
  simpler.Try([](Case&, Experiment& e) { e.accumulation = Precision::kFp32; });
  simpler.Try([](Case&, Experiment& e) { e.reduction = Precision::kFp32; });
}

std::string KindOfSums(const Case& c) {
  if (!AccumulatesInBf16(c)) return ReducesInBf16(c) ? "bf16 reduction" : "fp32";
  return ReducesInBf16(c) ? "bf16" : "bf16 accumulation";
}

NamedValues KindsOfSums() {
  const auto adds = [](const RunTerms& terms) {
    return NamesAnOrder(terms.can) && Contains(terms.can.accumulation_dtypes, Precision::kBf16);
  };
  const auto reduces = [](const RunTerms& terms) {
    return NamesAnOrder(terms.can) && Contains(terms.can.reduce_dtypes, Precision::kBf16);
  };
  const auto both = [=](const RunTerms& terms) { return adds(terms) && reduces(terms); };
  return ValuesOf({{"fp32"}, {"bf16 accumulation", adds}, {"bf16 reduction", reduces}, {"bf16", both}}, KindOfSums);
}

}  // namespace

Dimension SumsDimension() {
  using C = Capabilities;
  return {
      .name = "sums",
      .values = KindsOfSums(),
      .form = {.tell = TellSums,
               .features = {{"bf16_accumulation", "sums over micro-batches are kept in bf16", AccumulatesInBf16},
                            {"bf16_reduction", "gradients travel, and are added over ranks, in bf16", ReducesInBf16}}},
      .declared = {.requirements =
                       {{{"bf16_accumulation", "bf16_reduction"}, "a reduction order that has a name", HasNamedOrder},
                        NeedsEntry({"bf16_accumulation"}, "accumulation_dtypes bf16", &C::accumulation_dtypes,
                                   Precision::kBf16),
                        NeedsEntry({"bf16_reduction"}, "reduce_dtypes bf16", &C::reduce_dtypes, Precision::kBf16)},
                   .capabilities = {DeclaresEntry("accumulation_dtypes bf16", &C::accumulation_dtypes,
                                                  Precision::kBf16),
                                    DeclaresEntry("reduce_dtypes bf16", &C::reduce_dtypes, Precision::kBf16)},
                   .beyond = BeyondSums,
                   .probes = ProbeForSums()},
      .drawn = {.on_request = true, .draw = DrawSums, .simplifications = {{Simplicity::kScaling, PlainSums}}}};
}

}  // namespace zerocts
