#include "conformance/cases/dimensions/named_values.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "conformance/cases/drawing/draw_case.hpp"
#include "conformance/cases/drawing/drawn_for_test.hpp"
#include "conformance/cases/for_test/test_spaces.hpp"

namespace zerocts {
namespace {

using Names = std::map<std::string, std::set<std::string>>;  // by dimension

RunTerms TermsOfRun(const Capabilities& can) {
  return {.can = can, .world_sizes = {1, 2, 3, 4}, .precisions = {Precision::kFp32, Precision::kBf16}};
}

/// Every space that there is, in its checkpoints and damages too.
std::vector<CaseSpace> AllSpaces() {
  std::vector<CaseSpace> spaces = {SemanticsOf(EverythingOf(ShapeStyle::kMixed)),
                                   SemanticsOf(ModelSpace()),
                                   EverythingOf(ShapeStyle::kDegenerate),
                                   InterruptedSpace(),
                                   BoundedSpace(),
                                   ModelSpace()};
  spaces.back().vary.insert({"tensor", "vocab_parallel", "sequence_parallel", "kv_heads"});
  spaces.front().max_groups = 3;
  CaseSpace checkpoints = EverythingOf(ShapeStyle::kMixed);
  checkpoints.gradients = {GradientSource::kIndexCoded};
  for (const CheckpointUse how : {CheckpointUse::kSaveOnly, CheckpointUse::kReshard, CheckpointUse::kResume}) {
    checkpoints.checkpoint = how;
    spaces.push_back(checkpoints);
  }
  spaces.back().vary.insert("checkpoint damage");
  spaces.back().finish = [](Case& c) { c.plan.clear(); };
  return spaces;
}

/// The values that cases of every space have under all conditions, `cases` of them under each.
Names Met(const Capabilities& can, int cases) {
  Names met;
  for (const CaseSpace& space : AllSpaces()) {
    for (const int world_size : {1, 2, 3, 4}) {
      for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
        const CaseConditions conditions{world_size, precision, {}, {1, 2, 3, 4}};
        if (!Missing(space, conditions, can).empty()) continue;
        for (const Case& c : Drawn(space, conditions, can, cases)) {
          for (const Dimension& dimension : Dimensions()) {
            if (dimension.values.of) met[dimension.name].insert(dimension.values.of(c));
          }
        }
      }
    }
  }
  return met;
}

Names Available(const Capabilities& can) {
  Names available;
  for (const Dimension& dimension : Dimensions()) {
    if (!dimension.values.of) continue;
    for (const std::string& name : dimension.values.available(TermsOfRun(can))) available[dimension.name].insert(name);
  }
  return available;
}

TEST(NamedValues, AreThoseOfTheDrawnCases) {
  const Capabilities can = EverythingCapable();
  const Names met = Met(can, 150), available = Available(can);
  for (const auto& [dimension, names] : available) EXPECT_EQ(met.at(dimension), names) << dimension;
}

TEST(NamedValues, OfASubjectThatCanDoLittleAreFew) {
  Capabilities little;
  little.stages = {1};
  little.param_dtypes = {Precision::kFp32};
  little.optimizers = {OptimizerKind::kAdamW};
  little.max_world_size = 1;
  const Names met = Met(little, 150), available = Available(little);
  for (const auto& [dimension, names] : available) EXPECT_EQ(met.at(dimension), names) << dimension;
}

/// Pairs with a large tensor would each cost a second.
TEST(NamedValues, NameAllThatACaseCanHaveOfEachDimensionButWhatIsObservedOrUndeclaredOrLarge) {
  const std::set<std::string> without = {"observation", "invalid request", "undeclared", "block sizes"};
  for (const Dimension& dimension : Dimensions()) {
    const NamedValues& values = dimension.values;
    EXPECT_EQ(values.of != nullptr, !without.contains(dimension.name)) << dimension.name;
    EXPECT_EQ(values.available != nullptr, values.of != nullptr) << dimension.name;
    if (values.known.empty() || !values.of) continue;
    for (const std::string& name : values.available(TermsOfRun(EverythingCapable()))) {
      EXPECT_TRUE(Contains(values.known, name)) << dimension.name << " " << name;
    }
  }
}

}  // namespace
}  // namespace zerocts
