// Requests on disk: a corpus, and the files of counterexamples.
#pragma once
#include <string>
#include <vector>

#include "conformance/plans/fuzz/fuzz_run.hpp"

namespace zerocts {

/// A file of one request, or all .request.json of a folder by name. Throws UsageError for what cannot be read, and for
/// a folder without any.
std::vector<PlanningRequest> RequestsIn(const std::string& path);

/// Where a counterexample was written. Throws UsageError where it cannot be.
struct SavedCase {
  std::string request, plan;  // paths; plan is "" where none was answered
};
SavedCase Save(const std::string& folder, const std::string& name, const PlanningRequest& request,
               const std::optional<plan::Plan>& plan);

}  // namespace zerocts
