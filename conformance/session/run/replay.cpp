#include "conformance/session/run/replay.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "conformance/host/conductor/group_end.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/report/terminal/failure_text.hpp"
#include "conformance/report/view/endings.hpp"
#include "conformance/report/view/verdict_of_run.hpp"
#include "conformance/session/failure/failure.hpp"
#include "conformance/session/failure/reproducer.hpp"
#include "conformance/session/run/group_records.hpp"
#include "conformance/session/run/session_state.hpp"

namespace zerocts {
namespace {

/// Without it nothing would be judged that the clause is about.
void RequireCheckpoint(const Case& c) {
  const CaseSpace space = FindClauseCheck(c.clause).space();
  if (HasCheckpointOf(space, c)) return;
  throw UsageError(
      fmt::format("case.checkpoint: expected one with \"how\": \"{}\" and {} for {}, got another or none; replay the "
                  "case as it was saved",
                  ToString(*space.checkpoint), space.varies("checkpoint damage") ? "a damage" : "no damage", c.clause));
}

/// "" or where it stands that this failure is known.
std::string KnownText(const ExpectationsBook& book, const Failure& failure, const Configuration& configuration) {
  for (const Expectation* e : book.Covering(failure.c.clause, configuration)) {
    if (!Expects(*e, failure)) continue;
    return fmt::format("known since {}: {}; zerocts check expects it ({})\n", e->date,
                       e->issue.empty() ? "no upstream issue yet" : e->issue, book.file().path);
  }
  return "";
}

/// Ends the ranks and says what they did instead.
Result WorstOfGroups(Session& session) {
  Result worst = Result::kNotApplicable;
  for (const GroupEnd& end : session.StopGroups()) {
    const Result result = ResultOf(end.result.ending);
    fmt::print("{}: {}", ToString(result), FailureText(GroupEndRecord(kShutdownPhase, end)));
    worst = Worst(worst, result);
  }
  return worst;
}

}  // namespace

int ReplayCase(Session& session, const Case& c, const Configuration& configuration, const std::string& reproducer) {
  const Clause& clause = FindClause(c.clause);
  const SessionSettings& settings = session.settings();
  RequireCheckpoint(c);
  fmt::print("{} {}: {}\n{} on {}\n", clause.id, clause.name, clause.sentence, Summary(c), ToString(configuration));
  Trial trial([&](const Case& given) { return session.state().run(configuration, given); }, settings.info.capabilities);
  const std::optional<Failure> failure = Try(FindClauseCheck(c.clause).judge, trial, c);
  nlohmann::json written;
  if (!reproducer.empty())
    written = WriteReproducer(failure.value_or(Failure{.c = c, .result = Result::kPass}), reproducer, settings);
  const Result passed = trial.evidence().only_self_reported() ? Result::kSelfReported : Result::kPass;
  if (failure) {
    nlohmann::json record = FailureRecord(*failure, configuration, "", settings.subject);
    record.erase("case");  // the caller has the file
    record["reproducer"] = written;
    fmt::print("{}: {}{}", ToString(failure->result), FailureText(record),
               KnownText(session.state().expectations, *failure, configuration));
  } else {
    fmt::print("{}\n{}", ToString(passed), ReproducerText(written));
  }
  return VerdictOf({.worst_clause = failure ? failure->result : passed, .worst_group = WorstOfGroups(session)})
      .exit_code;
}

}  // namespace zerocts
