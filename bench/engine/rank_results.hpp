// Ranks of a benchmark, and what each of them found: W threads of this process, or W processes forked from it.
#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "impl/comm/for_test/ranks.hpp"

namespace zerocts {

using RankMeasurement = std::function<nlohmann::json(engine::TestRank&)>;

/// Runs `measure` once per rank, all at once; `transport` is "threads" or "shm" (processes). [ranks] results. Throws
/// std::runtime_error with the sentence of the first rank that failed.
std::vector<nlohmann::json> OnRanks(const std::string& transport, int ranks, const RankMeasurement& measure);

/// The slowest rank's value in each repetition, of series that every rank measured: result[field] = [repetitions].
std::vector<double> SlowestRank(const std::vector<nlohmann::json>& results, const std::string& field);

}  // namespace zerocts
