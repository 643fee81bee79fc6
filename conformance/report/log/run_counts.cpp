#include "conformance/report/log/run_counts.hpp"

#include <fmt/format.h>

#include <numeric>

namespace zerocts {
namespace {

using nlohmann::json;

using ByResult = std::map<Result, int64_t>;

json ToJson(const ByResult& counts) {
  json object = json::object();
  for (const auto& [result, count] : counts) object[ToString(result)] = count;
  return object;
}

ByResult ByResultFromJson(const json& object) {
  ByResult counts;
  for (const auto& [word, count] : object.items()) counts[ResultFromString(word)] = count;
  return counts;
}

int64_t Sum(const ByResult& counts) {
  const auto add = [](int64_t sum, const auto& count) { return sum + count.second; };
  return std::accumulate(counts.begin(), counts.end(), int64_t{0}, add);
}

std::string Difference(int64_t announced, int64_t there, const std::string& what) {
  return announced == there ? "" : fmt::format("{} {} announced, {} there", announced, what, there);
}

/// In all, or else of one result.
std::string Difference(ByResult announced, ByResult there, const std::string& what) {
  std::string difference = Difference(Sum(announced), Sum(there), what);
  for (const Result result : kAllResults) {
    if (!difference.empty()) break;
    difference = Difference(announced[result], there[result], fmt::format("{} with {}", what, ToString(result)));
  }
  return difference;
}

}  // namespace

void RunCounts::Add(const json& record) {
  const std::string kind = record.at("record");
  if (kind == "clause_end") ++clauses;
  if (kind == "note") ++notes;
  if (kind == "group_end") ++groups[ResultFromString(record.at("result"))];
  if (kind == "failure") ++failures[ResultOfFailure(record)];
  if (kind != "configuration") return;
  cases += record.at("cases").get<int64_t>();
  ++configurations[ResultFromString(record.at("result"))];
}

json ToJson(const RunCounts& counts) {
  return {{"clauses", counts.clauses},
          {"cases", counts.cases},
          {"notes", counts.notes},
          {"groups", ToJson(counts.groups)},
          {"configurations", ToJson(counts.configurations)},
          {"failures", ToJson(counts.failures)}};
}

RunCounts RunCountsFromJson(const json& counts) {
  return {.clauses = counts.at("clauses"),
          .cases = counts.at("cases"),
          .notes = counts.value("notes", int64_t{0}),
          .groups = ByResultFromJson(counts.at("groups")),
          .configurations = ByResultFromJson(counts.at("configurations")),
          .failures = ByResultFromJson(counts.at("failures"))};
}

std::string Difference(const RunCounts& announced, const RunCounts& there) {
  for (const std::string& difference :
       {Difference(announced.clauses, there.clauses, "clauses"),
        Difference(announced.groups, there.groups, "groups of ranks"),
        Difference(announced.configurations, there.configurations, "configurations"),
        Difference(announced.failures, there.failures, "failures"), Difference(announced.cases, there.cases, "cases"),
        Difference(announced.notes, there.notes, "notes")}) {
    if (!difference.empty()) return difference;
  }
  return "";
}

Result ResultOfFailure(const json& failure) {
  if (failure.contains("expected")) return Result::kExpected;
  if (failure.value("stale", false)) return Result::kStale;
  const std::string ending = failure.value("ending", "observed");
  return ending == "observed" ? Result::kFail : ResultFromString(ending);
}

}  // namespace zerocts
