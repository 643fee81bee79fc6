// One saved case again.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "conformance/contract/failure_record.hpp"
#include "conformance/contract/session_state.hpp"
#include "conformance/contract/verdict_of_run.hpp"
#include "conformance/report/failure_text.hpp"

namespace zerocts {

int ReplayCase(const Case& c, const Stratum& stratum) {
  const Clause& clause = FindClause(c.clause);
  fmt::print("{} {}: {}\n{} on {}\n", clause.id, clause.name, clause.sentence, Summary(c), ToString(stratum));
  const std::optional<Failure> failure = Try(FindClauseCheck(c.clause).judge, stratum, c);
  if (!failure) {
    fmt::print("pass\n");
    return ExitCodeOf(Result::kPass);
  }
  nlohmann::json record = FailureRecord(*failure, stratum, "", Session::Get().settings().subject);
  record.erase("case");  // the caller has the file
  fmt::print("{}: {}", ToString(failure->result), FailureText(record));
  return ExitCodeOf(failure->result);
}

}  // namespace zerocts
