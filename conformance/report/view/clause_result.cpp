#include "conformance/report/view/clause_result.hpp"

#include <nlohmann/json.hpp>

#include "conformance/cases/case/figure.hpp"

namespace zerocts {

std::vector<CoverageMinimum> MissedMinimums(const nlohmann::json& clause_end) {
  std::vector<CoverageMinimum> missed;
  const nlohmann::json minimums = clause_end.value("coverage_minimums", nlohmann::json::object());
  for (const auto& [feature, counts] : minimums.items()) {
    const CoverageMinimum minimum{feature, counts.at(0), counts.at(1)};
    if (minimum.count < minimum.needed) missed.push_back(minimum);
  }
  return missed;
}

std::optional<int64_t> AskedCases(const nlohmann::json& clause_end) {
  if (!clause_end.contains("asked")) return std::nullopt;
  return clause_end.at("asked").at("cases").get<int64_t>();
}

bool IsOnlySelfReported(const nlohmann::json& configuration) {
  const nlohmann::json sources = configuration.value("sources", nlohmann::json::object());
  return sources.size() == 1 && sources.contains(ToString(FigureSource::kSubject));
}

Result ResultOfConfiguration(const nlohmann::json& configuration) {
  const Result result = ResultFromString(configuration.at("result"));
  if (Passes(result) && configuration.at("cases") == 0) return Result::kTooFew;
  return result == Result::kPass && IsOnlySelfReported(configuration) ? Result::kSelfReported : result;
}

bool EndsConfiguration(Result failure) {
  switch (failure) {
    case Result::kFail:
    case Result::kDisagreement:
    case Result::kGarbage:
    case Result::kHang:
    case Result::kHarnessError: return true;
    default: return false;
  }
}

Result WorstInConfiguration(Result a, Result b) {
  if (EndsConfiguration(a) == EndsConfiguration(b)) return Worst(a, b);
  return EndsConfiguration(a) ? a : b;
}

Result ResultOfClause(const std::vector<Result>& configurations, const std::vector<CoverageMinimum>& missed_minimums,
                      std::optional<int64_t> asked_cases) {
  Result result = Result::kNotApplicable;
  for (const Result configuration : configurations) result = Worst(result, configuration);
  const bool nothing_asked = Passes(result) && asked_cases == 0;
  return configurations.empty() || !missed_minimums.empty() || nothing_asked ? Worst(result, Result::kTooFew) : result;
}

}  // namespace zerocts
