// What clauses draw has one of the available names in every dimension.
#include <gtest/gtest.h>

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
    const CaseSpace space = SpaceFor(FindClauseCheck(clause.id).space(), can);
    const RunTerms terms = {.can = can,
                            .fidelity = FidelityFor(clause, can),
                            .world_sizes = {1, 3, 4},
                            .precisions = {Precision::kFp32, Precision::kBf16}};
    for (const int world_size : terms.world_sizes) {
      for (const Precision precision : terms.precisions) {
        const CaseConditions conditions{world_size, precision, {}, terms.world_sizes};
        if (!Missing(space, conditions, can).empty()) continue;
        for (const Case& c : Drawn(space, conditions, can, 20)) {
          ExpectAvailableNames(c, terms);
          EXPECT_FALSE(can.no_empty_ranks && LeavesARankEmpty(c, can.granularity)) << c;
        }
      }
    }
  }
}

}  // namespace
}  // namespace zerocts
