// What clauses draw has one of the available names in every dimension, and every name is drawn for some clause.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/cases/dimensions/dimension.hpp"
#include "conformance/cases/drawing/draw_case.hpp"
#include "conformance/cases/drawing/drawn_for_test.hpp"
#include "conformance/cases/draws/shapes.hpp"
#include "conformance/cases/for_test/test_spaces.hpp"
#include "conformance/contract/clause_for_test.hpp"
#include "conformance/contract/judge.hpp"

namespace zerocts {
namespace {

/// Who does most of it otherwise.
Capabilities OddlyCapable() {
  Capabilities can = EverythingCapable();
  can.stages = {1, 2};
  can.plans.clear();
  can.reduction_orders = {"probed"};
  can.gradient_sync = {GradientSync::kEveryMicroBatch};
  can.scalars = can.empty_parameters = can.bucket_cap_bytes = can.groups = can.overlap = can.set_group = false;
  can.inexact_norm = can.inexact_models = true;
  return can;
}

/// Who leaves no rank without a tensor.
Capabilities CapableOfFullRanks() {
  Capabilities can = EverythingCapable();
  can.no_empty_ranks = true;
  can.granularity = Granularity::kTensor;
  return can;
}

class EveryClauseNames : public testing::TestWithParam<Clause> {};

INSTANTIATE_TEST_SUITE_P(Contract, EveryClauseNames, testing::ValuesIn(AllClauses()),
                         [](const auto& info) { return NameForTest(info.param); });

/// Cases of the clause, at each world size and precision.
void ForEachDrawn(const Clause& clause, const RunTerms& terms, int cases, const std::function<void(const Case&)>& use) {
  const CaseSpace space = SpaceFor(FindClauseCheck(clause.id).space(), terms.can);
  for (const int world_size : terms.world_sizes) {
    for (const Precision precision : terms.precisions) {
      const CaseConditions conditions{world_size, precision, {}, terms.world_sizes};
      if (!Missing(space, conditions, terms.can).empty()) continue;
      for (const Case& c : Drawn(space, conditions, terms.can, cases)) use(c);
    }
  }
}

void ExpectAvailableNames(const Case& c, const RunTerms& terms) {
  for (const Dimension& dimension : Dimensions()) {
    if (!dimension.values.of) continue;
    const std::string name = dimension.values.of(c);
    EXPECT_TRUE(Contains(dimension.values.available(terms), name)) << dimension.name << " " << name << " of " << c;
  }
}

TEST_P(EveryClauseNames, AllThatItDraws) {
  const Clause& clause = GetParam();
  for (const Capabilities& can : {EverythingCapable(), OddlyCapable(), CapableOfFullRanks()}) {
    const RunTerms terms = {.can = can,
                            .fidelity = FidelityFor(clause, can),
                            .world_sizes = {1, 3, 4},
                            .precisions = {Precision::kFp32, Precision::kBf16}};
    ForEachDrawn(clause, terms, 20, [&](const Case& c) {
      ExpectAvailableNames(c, terms);
      EXPECT_FALSE(LeavesTooLittle(c, can)) << c;
    });
  }
}

/// What no clause draws, by the names of its dimension or feature.
using Undrawn = std::map<std::string, std::set<std::string>>;

const char* const kFeatures = "features";

Undrawn AllThatHasAName(const RunTerms& terms) {
  Undrawn all;
  for (const Dimension& dimension : Dimensions()) {
    for (const Feature& feature : dimension.form.features) all[kFeatures].insert(feature.name);
    if (!dimension.values.of) continue;
    for (const std::string& name : dimension.values.available(terms)) all[dimension.name].insert(name);
  }
  return all;
}

void TakeOut(const Case& c, Undrawn& undrawn) {
  for (const std::string& feature : FeaturesOf(c)) undrawn[kFeatures].erase(feature);
  for (const Dimension& dimension : Dimensions()) {
    if (dimension.values.of) undrawn[dimension.name].erase(dimension.values.of(c));
  }
  std::erase_if(undrawn, [](const auto& of) { return of.second.empty(); });
}

TEST(EveryNamedValue, IsDrawnForSomeClause) {
  const RunTerms terms = {
      .can = EverythingCapable(), .world_sizes = {1, 2, 3, 4}, .precisions = {Precision::kFp32, Precision::kBf16}};
  Undrawn undrawn = AllThatHasAName(terms);
  for (const Clause& clause : AllClauses()) {
    if (undrawn.empty()) break;
    ForEachDrawn(clause, terms, 20, [&](const Case& c) { TakeOut(c, undrawn); });
  }
  EXPECT_EQ(undrawn, Undrawn{});
}

}  // namespace
}  // namespace zerocts
