// Which features a clause's cases had, and whether that is enough to call the clause checked.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "conformance/cases/dimensions/dimension.hpp"
#include "conformance/contract/clause.hpp"
#include "conformance/session/configuration/settings.hpp"

namespace zerocts {

using FeatureCounts = std::map<std::string, int64_t>;

struct MinimumCount {
  std::string feature;
  int64_t count = 0, needed = 0;
};

/// A feature must be in one of twenty cases; in one at least, and a costly one in no more.
int64_t CoverageMinimumOf(const std::string& feature, int64_t cases);

/// What the run asks for, without regard to its constraints.
RunTerms TermsOf(const SessionSettings& settings, Fidelity fidelity = Fidelity::kBitwise);

/// "needs: accumulation" when this run cannot have the feature at all in a clause of this fidelity: the subject does
/// not declare it or the command line leaves it out. `ranks`: of the cases; 0: any number of the run.
std::string MissingFor(const std::string& feature, const SessionSettings& settings,
                       Fidelity fidelity = Fidelity::kBitwise, int ranks = 0);

struct CoverageMinimums {
  std::vector<MinimumCount> counts;  // of the features that could be had
  std::vector<std::string> needs;    // "uneven needs: more than one rank", for the others
  bool met() const { return Wanted().empty(); }
  FeatureCounts Wanted() const;  // by how many cases each feature is below its minimum
};

/// The clause's features that cases of this precision and so many ranks can have; 0: any number of the run.
std::set<std::string> ShownBy(const Clause& clause, Precision precision, const SessionSettings& settings,
                              int ranks = 0);

/// The clause's features that a configuration can show and none after it, for each of the configurations, which are
/// given by their precisions in the order in which they are planned.
std::vector<std::set<std::string>> LastShown(const Clause& clause, const std::vector<Precision>& precisions,
                                             const SessionSettings& settings);

CoverageMinimums CoverageMinimumsOf(const Clause& clause, const FeatureCounts& features, int64_t cases,
                                    const SessionSettings& settings);

}  // namespace zerocts
