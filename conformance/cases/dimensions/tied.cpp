// Several names of one parameter.
#include "conformance/cases/case/plan_file.hpp"
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/owners.hpp"
#include "conformance/cases/dimensions/probes.hpp"
#include "conformance/cases/draws/role_edits.hpp"

namespace zerocts {
namespace {

bool HasTiedNames(const Case& c) { return !c.experiment.roles.tied.empty(); }

/// Names whose sum is rounded to bf16 show the order.
bool HasFp32OrOrder(const RunTerms& terms) {
  const bool fp32 = Contains(terms.can.param_dtypes, Precision::kFp32) && Contains(terms.precisions, Precision::kFp32);
  return fp32 || HasOrder(terms);
}

bool HasTiedOrNoFile(const RunTerms& terms) {
  const FilePlan* file = FileOf(terms.constraints);
  return !file || !file->tied.empty();
}

std::string BeyondTied(const Case& c, const Capabilities& can) { return Undeclared("tied", HasTiedNames(c), can.tied); }

/// A plan file has its own, in every case.
bool DrawTied(Drawing& drawing) {
  if (const FilePlan* file = FileOf(drawing.conditions.constraints)) {
    drawing.e.roles.tied = file->tied;
    return file->tied.empty() || drawing.can.tied;
  }
  if (!drawing.varied || !drawing.can.tied || !drawing.given() || !drawing.draws.Percent(60)) return true;
  Experiment& e = drawing.e;
  const int owner = DrawOwner(drawing);
  if (owner < 0) return true;
  for (int64_t name = drawing.draws.Between(1, 2); name > 0; --name) {
    const int index = static_cast<int>(drawing.draws.Between(owner + 1, drawing.parameters()));
    ParameterSpec tied = e.parameters[static_cast<size_t>(owner)];
    tied.name += fmt::format("_tied{}", name);
    InsertParameter(e, index, tied);
    e.roles.tied.push_back({index, owner});
  }
  return true;
}

/// The last parameter is another name of the first.
void TieOneMore(Case& c) {
  Experiment& e = c.experiment;
  const int name = static_cast<int>(e.parameters.size());
  ParameterSpec tied = e.parameters.front();
  tied.name += "_tied";
  InsertParameter(e, name, tied);
  e.roles.tied = {{name, 0}};
}

void FewerTiedNames(Simplifying& simpler) {
  simpler.TryFewer([](auto& e) -> auto& { return e.roles.tied; });
}

}  // namespace

Dimension TiedDimension() {
  return {.name = "tied names",
          .values = ValuesIf(&Capabilities::tied, {"none", "one", "two"},
                             [](const Case& c) { return NameOfCount(c.experiment.roles.tied.size()); }),
          .form = {.features = {{"tied", "two names of one parameter", HasTiedNames}}},
          .declared = {.requirements = {NeedsFlag({"tied"}, "tied", &Capabilities::tied),
                                        {{"tied"}, "no plan file, or one with tied names", HasTiedOrNoFile},
                                        {{"tied"}, "fp32 or a declared reduction order", HasFp32OrOrder}},
                       .capabilities = {DeclaresFlag("tied", &Capabilities::tied)},
                       .beyond = BeyondTied,
                       .probes = {ProbeFor(TieOneMore)}},
          .drawn = {.on_request = true, .draw = DrawTied, .simplifications = {{Simplicity::kRoles, FewerTiedNames}}}};
}

}  // namespace zerocts
