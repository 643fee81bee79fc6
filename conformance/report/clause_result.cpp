#include "conformance/report/clause_result.hpp"

#include <nlohmann/json.hpp>

namespace zerocts {

std::vector<Floor> MissedFloors(const nlohmann::json& clause_end) {
  std::vector<Floor> missed;
  const nlohmann::json floors = clause_end.value("floors", nlohmann::json::object());
  for (const auto& [feature, counts] : floors.items()) {
    const Floor floor{feature, counts.at(0), counts.at(1)};
    if (floor.count < floor.needed) missed.push_back(floor);
  }
  return missed;
}

Result ResultOfStratum(const nlohmann::json& stratum) {
  const Result result = ResultFromString(stratum.at("result"));
  return result == Result::kPass && stratum.at("cases") == 0 ? Result::kTooFew : result;
}

Result ResultOfClause(const std::vector<Result>& strata, const std::vector<Floor>& missed_floors) {
  Result result = Result::kUnsupported;
  for (const Result stratum : strata) result = Worst(result, stratum);
  return strata.empty() || !missed_floors.empty() ? Worst(result, Result::kTooFew) : result;
}

}  // namespace zerocts
