#include "conformance/session/failure/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>

#include "conformance/cases/whole/case_json.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/report/view/endings.hpp"
#include "reference/experiment/hash.hpp"
#include "reference/experiment/json_dump.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

json Where(const std::string& clause_id, const Configuration& configuration) {
  return {{"record", "failure"},
          {"clause", clause_id},
          {"launcher", ToString(configuration.launcher)},
          {"world_size", configuration.world_size},
          {"precision", ToString(configuration.precision)}};
}

/// Values as text, which holds NaN and -0 too and reads back as the same fp32.
json FirstDifference(const Divergence& d) {
  json where = {{"step", d.step},
                {"phase", ToString(d.phase)},
                {"rank", d.rank},
                {"tensor", d.tensor},
                {"expected", fmt::format("{:.9g}", d.expected)},
                {"got", fmt::format("{:.9g}", d.got)}};
  if (d.interval.end > d.interval.begin) {
    where["element"] = d.element;
    where["differing"] = d.differing;
    where["compared"] = d.compared;
  }
  if (!d.note.empty()) where["note"] = d.note;
  return where;
}

void AddDivergence(const Divergence& divergence, json& record) {
  record["divergence"] = ToString(divergence);
  record["first_difference"] = FirstDifference(divergence);
  if (!divergence.factors.empty()) record["factors"] = divergence.factors;
  if (!divergence.causes.empty()) record["causes"] = divergence.causes;
  if (!divergence.wrong_and_right.empty()) record["wrong_and_right"] = divergence.wrong_and_right;
}

void Explain(Trial& trial, Finding& finding) {
  if (finding.divergence) std::ranges::copy(trial.Causes(), std::back_inserter(finding.divergence->causes));
}

}  // namespace

std::optional<Failure> Try(const Judge& judge, Trial& trial, const Case& c) {
  try {
    std::optional<Finding> finding = judge(trial, c);
    if (!finding) return std::nullopt;
    Explain(trial, *finding);
    return Failure{c, Result::kFail, *std::move(finding), trial.reports()};
  } catch (const RunEnded& ended) {
    return Failure{c, ResultOf(ended.result.ending), {ended.result.message, std::nullopt}, ended.result.reports};
  } catch (const HarnessError&) {
    throw;
  } catch (const std::exception& error) {
    throw HarnessError(std::string(error.what()) + " (while judging " + Summary(c) + ")");
  }
}

std::string SaveFailedCase(const Failure& failure, const std::string& out_dir) {
  if (out_dir.empty()) return "";
  const std::string text = Dumped(ToJson(failure.c));
  const std::filesystem::path folder = std::filesystem::path(out_dir) / "cases";
  std::filesystem::create_directories(folder);
  const std::string path =
      folder / (failure.c.clause + "-" + HashOfBytes(text.data(), text.size()).substr(0, 16) + ".json");
  SaveCase(failure.c, path);
  return path;
}

json FailureRecord(const Failure& failure, const Configuration& configuration, const std::string& case_file,
                   const SubjectSpec& subject) {
  json record = Where(failure.c.clause, configuration);
  record["ending"] = failure.result == Result::kFail ? "observed" : ToString(failure.result);
  record["sentence"] = failure.finding.sentence;
  if (failure.finding.divergence) AddDivergence(*failure.finding.divergence, record);
  if (!failure.drawn_features.empty()) record["drawn_features"] = failure.drawn_features;
  record["fidelity"] = ToString(failure.c.fidelity);
  record["case_file"] = case_file;
  record["case"] = ToJson(failure.c);
  record["summary"] = Summary(failure.c);
  record["subject"] = subject.text;
  record["choice"] = json::object();
  for (const auto& [option, value] :
       {std::pair("version", subject.choice.version), std::pair("python", subject.choice.python)}) {
    if (!value.empty()) record["choice"][option] = value;
  }
  record["options"] = json::array();
  for (const auto& [key, value] : subject.options) record["options"].push_back(key + "=" + value);
  record["ranks"] = RankRecords(failure.reports);
  return record;
}

json RankRecords(const std::vector<RankReport>& reports) {
  json ranks = json::array();
  for (const RankReport& rank : reports)
    ranks.push_back({{"rank", rank.rank}, {"state", rank.state}, {"output", rank.output}});
  return ranks;
}

json HarnessErrorRecord(const std::string& clause_id, const Configuration& configuration, const std::string& sentence) {
  json record = Where(clause_id, configuration);
  record["ending"] = ToString(Result::kHarnessError);
  record["sentence"] = sentence;
  return record;
}

}  // namespace zerocts
