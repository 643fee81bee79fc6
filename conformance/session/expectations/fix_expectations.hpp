// Rewrites an expectations file by what a run showed.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "conformance/session/expectations/expectations.hpp"

namespace zerocts {

struct FixedExpectations {
  ExpectationsFile file;
  int kept = 0, removed = 0, added = 0;
};

/// What no longer holds goes, what failed otherwise comes in, the rest stays. `old`: the file that the run was judged
/// by, without entries when there was none. `records`: the log of the run. `today`: the date of new entries. Copies the
/// cases of new entries into a folder beside the file, named like it. Throws UsageError when that cannot be written.
FixedExpectations FixExpectations(const ExpectationsFile& old, const std::vector<nlohmann::json>& records,
                                  const std::string& today);

/// The part of a failure's sentence that does not change with the case: the longest without a digit, before other
/// factors.
std::string LastingPart(const std::string& sentence);

}  // namespace zerocts
