// Asks a planner case by case and keeps the first counterexample of each property.
#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conformance/plans/fuzz/drawn_request.hpp"
#include "conformance/plans/fuzz/fuzz_properties.hpp"

namespace zerocts {

struct FuzzSettings {
  std::vector<FuzzProperty> properties;
  std::vector<PlanningRequest> corpus;
  RequestSpace space;
  uint64_t seed = 1;
  int cases = 200;
  int shrink_tries = 2000;
  std::chrono::milliseconds shrink_time = std::chrono::seconds(20);  // of each counterexample
};

struct Counterexample {
  std::string property, what;
  bool of_plan = false;  // `zerocts plan verify` judges it again
  PlanningRequest request;
  std::optional<plan::Plan> plan;
};

/// "P1 coverage: gradients of w, element 2: nobody holds [2, 3)", "same again: ..."
std::string SentenceOf(const Counterexample& found);

/// The planner crashed or hung, which ends the run.
struct PlannerEnd {
  std::string what;
  bool hung = false;
  PlanningRequest request;
};

struct FuzzOutcome {
  int cases = 0;        // of the corpus and at random, the last one included
  int refused = 0;      // that the planner does not offer
  int64_t answers = 0;  // judged or compared, without those of shrinking
  double seconds = 0;   // as above
  std::map<std::string, int>
      judged;  // by property: the cases of which it asks something, the first broken one included
  std::vector<Counterexample> counterexamples;  // shrunk; in the order of the properties
  std::optional<PlannerEnd> end;
};

FuzzOutcome RunFuzz(const MakePlanner& make, const FuzzSettings& settings);

}  // namespace zerocts
