// Whether heads of queries share keys and values: grouped-query attention.
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/probes.hpp"
#include "conformance/cases/dimensions/text_training.hpp"

namespace zerocts {
namespace {

bool IsGrouped(const Case& c) {
  const GptSpec* gpt = GptOf(c);
  return gpt && gpt->kv_heads != gpt->heads;
}

bool ComputesGpt(const RunTerms& terms) { return HasModels(terms) && Contains<std::string>(terms.can.models, "gpt"); }

/// Every head of keys and values stays, and is asked by two or three heads of queries. The seed of the data decides, so
/// this takes no draw, and what else is drawn stays what it was.
bool DrawKvHeads(Drawing& drawing) {
  constexpr uint64_t kOneOf = 3;
  GptSpec* gpt = drawing.e.model ? std::get_if<GptSpec>(&*drawing.e.model) : nullptr;
  if (!drawing.varied || !drawing.can.kv_heads || drawing.given() || !gpt || drawing.e.seed % kOneOf != 0) return true;
  const auto group = static_cast<int64_t>(2 + drawing.e.seed / kOneOf % 2);
  gpt->heads *= group;
  gpt->width *= group;
  drawing.e.parameters = ModelParameters(*drawing.e.model);
  return true;
}

std::string BeyondKvHeads(const Case& c, const Capabilities& can) {
  return Undeclared("kv_heads", IsGrouped(c) && Contains<std::string>(can.models, "gpt"), can.kv_heads);
}

void ProbeForKvHeads(Case& c, const Capabilities& can) {
  if (!Contains<std::string>(can.models, "gpt")) return;
  TrainOnText(c.experiment, GptSpec{.context = 2, .layers = 1, .heads = 2, .kv_heads = 1, .width = 2}, 2);
}

/// One head of queries for each of keys and values, as wide as before.
void OneHeadPerGroup(Simplifying& simpler) {
  if (!IsGrouped(simpler.c)) return;
  GptSpec gpt = *GptOf(simpler.c);
  gpt.width = gpt.width / gpt.heads * gpt.kv_heads;
  gpt.heads = gpt.kv_heads;
  simpler.Try([&](Case&, Experiment& e) {
    e.model = gpt;
    e.parameters = ModelParameters(*e.model);
  });
}

}  // namespace

Dimension KvHeadsDimension() {
  return {
      .name = "kv_heads",
      .values = ValuesIf([](const RunTerms& terms) { return MissingFor("grouped_queries", terms).empty(); },
                         {"own", "grouped"}, [](const Case& c) { return IsGrouped(c) ? "grouped" : "own"; }),
      .form = {.features = {{"grouped_queries", "heads of queries share keys and values", IsGrouped}}},
      .declared = {.requirements = {NeedsFlag({"grouped_queries"}, "kv_heads", &Capabilities::kv_heads),
                                    {{"grouped_queries"}, "models gpt", ComputesGpt}},
                   .capabilities = {DeclaresFlag("kv_heads", &Capabilities::kv_heads)},
                   .beyond = BeyondKvHeads,
                   .probes = {ProbeForKvHeads}},
      .drawn = {.on_request = true, .draw = DrawKvHeads, .simplifications = {{Simplicity::kModel, OneHeadPerGroup}}}};
}

}  // namespace zerocts
