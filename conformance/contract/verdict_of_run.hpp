// What a whole run came to: the words and the exit code of `zerocts check`.
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "conformance/report/result.hpp"

namespace zerocts {

struct Verdict {
  std::string text;
  int exit_code;
};

/// `strata`: how many strata ended so; `worst_clause`: of the clauses as wholes, whose floors may be missed though
/// every stratum passed. Any finding about the subject makes the run not conformant, whatever else went wrong; a crash,
/// early exit or hang alone is told apart.
Verdict VerdictOf(const std::map<Result, int64_t>& strata, Result worst_clause);

/// Exit code of one result on its own, for a replayed case.
int ExitCodeOf(Result result);

}  // namespace zerocts
