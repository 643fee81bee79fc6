#include "conformance/session/run/clause_records.hpp"

#include <nlohmann/json.hpp>

#include "conformance/report/view/clause_result.hpp"

namespace zerocts {

using nlohmann::json;

json ClauseStartRecord(const Clause& clause) {
  return {{"record", "clause_start"},    {"clause", clause.id},         {"name", clause.name},
          {"sentence", clause.sentence}, {"revision", clause.revision}, {"essential", clause.essential}};
}

namespace {

json JsonOf(const FigureSources& sources) {
  json counts = json::object();
  for (const auto& [source, cases] : sources) counts[ToString(source)] = cases;
  return counts;
}

}  // namespace

json ConfigurationRecord(const Clause& clause, const Configuration& configuration, const ConfigurationOutcome& outcome,
                         double seconds) {
  return {{"record", "configuration"},
          {"clause", clause.id},
          {"launcher", ToString(configuration.launcher)},
          {"world_size", configuration.world_size},
          {"precision", ToString(configuration.precision)},
          {"cases", outcome.cases},
          {"features", outcome.features},
          {"sources", JsonOf(outcome.sources)},
          {"asked", outcome.asked.cases},
          {"asked_elsewhere", outcome.asked_elsewhere},
          {"seconds", seconds},
          {"result", ToString(outcome.result)},
          {"reason", outcome.reason}};
}

json ClauseEndRecord(const Clause& clause, const ClauseEnd& end) {
  json minimums = json::object();
  for (const MinimumCount& minimum : end.coverage_minimums) minimums[minimum.feature] = {minimum.count, minimum.needed};
  json record = {{"record", "clause_end"},
                 {"clause", clause.id},
                 {"cases", end.cases},
                 {"coverage_minimums", minimums},
                 {"needs", end.needs},
                 {"seconds", end.seconds},
                 {"asked", {{"cases", end.asked.cases}, {"features", end.asked.features}}}};
  record["result"] = ToString(ResultOfClause(end.configurations, MissedMinimums(record), AskedCases(record)));
  return record;
}

}  // namespace zerocts
