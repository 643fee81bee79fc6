#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "conformance/plans/plan_text.hpp"
#include "reference/experiment/json_dump.hpp"

namespace zerocts {

using nlohmann::ordered_json;
using plan::Collective;
using plan::Costs;
using plan::RankCosts;
using plan::Traffic;

namespace {

struct Row {
  std::string name;
  std::function<int64_t(const RankCosts&)> bytes;
};

std::vector<Row> MemoryRows() {
  return {{"parameters", [](const RankCosts& r) { return r.parameters; }},
          {"gradients", [](const RankCosts& r) { return r.gradients; }},
          {"master weights", [](const RankCosts& r) { return r.master; }},
          {"moments", [](const RankCosts& r) { return r.moments; }},
          {"padding", [](const RankCosts& r) { return r.padding; }},
          {"held between steps", [](const RankCosts& r) { return r.held(); }},
          {"waiting gradients", [](const RankCosts& r) { return r.accumulation; }},
          {"buckets", [](const RankCosts& r) { return r.buckets; }},
          {"staging", [](const RankCosts& r) { return r.staging; }}};
}

std::vector<Row> TrafficRows() {
  std::vector<Row> rows;
  for (const Collective c : plan::kCollectives) {
    rows.push_back({fmt::format("{} sent", NameOf(c)), [c](const RankCosts& r) { return r.of(c).sent; }});
    rows.push_back({fmt::format("{} received", NameOf(c)), [c](const RankCosts& r) { return r.of(c).received; }});
  }
  return rows;
}

/// Rows of zeros say nothing and are left out.
std::string RowText(const Costs& costs, const Row& row) {
  int64_t least = row.bytes(costs.ranks.front()), most = least;
  double sum = 0;  // of all ranks: beyond 2^63 where each is within
  for (const RankCosts& rank : costs.ranks) {
    const int64_t bytes = row.bytes(rank);
    least = std::min(least, bytes), most = std::max(most, bytes), sum += static_cast<double>(bytes);
  }
  if (most == 0) return "";
  return fmt::format("{:<34}{:>20}{:>20}{:>12}{:>14}\n", row.name, least, most, BytesText(static_cast<double>(most)),
                     BytesText(sum));
}

std::string TimeText(const Costs& costs) {
  std::string text;
  const auto slowest = [&](const auto& seconds_of) {
    double most = 0;
    for (const RankCosts& rank : costs.ranks) most = std::max(most, seconds_of(rank));
    return most * 1e3;
  };
  for (const Collective c : plan::kCollectives) {
    const double ms = slowest([c](const RankCosts& rank) { return rank.of(c).seconds; });
    if (ms > 0) text += fmt::format("{:<34}{:>37.3f} ms\n", fmt::format("{} on the link", NameOf(c)), ms);
  }
  const double all = slowest([](const RankCosts& rank) { return rank.seconds(); });
  return all > 0 ? text + fmt::format("{:<34}{:>37.3f} ms\n", "one after the other", all) : "";
}

std::string RankText(const Costs& costs) {
  double optimizer = 0;
  for (const RankCosts& rank : costs.ranks) optimizer += static_cast<double>(rank.optimizer());
  std::string text =
      fmt::format("\n{:>8}{:>22}{:>10}{:>28}\n", "rank", "held between steps", "saves", "of all optimizer state");
  for (size_t r = 0; r < costs.ranks.size(); ++r) {
    const RankCosts& rank = costs.ranks[r];
    const double share = optimizer == 0 ? 0 : static_cast<double>(rank.optimizer()) / optimizer;
    text += fmt::format("{:>8}{:>22}{:>8.1f} %{:>26.1f} %\n", r, rank.held(), 100 * costs.SavingOf(rank), 100 * share);
  }
  return text;
}

ordered_json ToJson(const Traffic& traffic) {
  return {{"sent", traffic.sent},
          {"received", traffic.received},
          {"messages", traffic.messages},
          {"seconds", traffic.seconds}};
}

ordered_json ToJson(const RankCosts& rank, const Costs& costs) {
  ordered_json object = {{"parameters", rank.parameters}, {"gradients", rank.gradients}, {"master", rank.master},
                         {"moments", rank.moments},       {"padding", rank.padding},     {"held", rank.held()},
                         {"waiting", rank.accumulation},  {"buckets", rank.buckets},     {"staging", rank.staging},
                         {"saving", costs.SavingOf(rank)}};
  for (const Collective c : plan::kCollectives) object["traffic"][NameOf(c)] = ToJson(rank.of(c));
  return object;
}

}  // namespace

std::string BytesText(double bytes) {
  constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"};
  size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1000;
  return fmt::format("{:.4g} {}", bytes, kUnits[unit]);
}

std::string CostsText(const plan::Plan& plan, const Costs& costs, bool each_rank) {
  std::string text = fmt::format("{}\n\n{:<34}{:>20}{:>20}{:>12}{:>14}\n", Summary(plan), "bytes of a rank", "least",
                                 "most", "", "all ranks");
  for (const Row& row : MemoryRows()) text += RowText(costs, row);
  const double saving = 100 * costs.SavingOf(costs.fullest());
  text += fmt::format("{:<34}{:>20}{:>20}{:>12}\n{:<34}{:>39.1f} %\n\n", "without sharding", costs.unsharded,
                      costs.unsharded, BytesText(static_cast<double>(costs.unsharded)), "saved by the fullest rank",
                      saving);
  for (const Row& row : TrafficRows()) text += RowText(costs, row);
  return text + TimeText(costs) + (each_rank ? RankText(costs) : "");
}

std::string CostsJson(const Costs& costs) {
  ordered_json object = {{"unsharded", costs.unsharded}, {"ranks", ordered_json::array()}};
  for (const RankCosts& rank : costs.ranks) object["ranks"].push_back(ToJson(rank, costs));
  return Dumped(object, 1) + "\n";
}

}  // namespace zerocts
