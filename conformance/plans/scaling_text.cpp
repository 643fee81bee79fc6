#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/plans/plan_text.hpp"
#include "reference/experiment/json_dump.hpp"

namespace zerocts {
namespace {

using plan::Costs;
using plan::RankCosts;

/// The costs of one number of ranks.
struct Scaled {
  size_t ranks = 0;
  int64_t held = 0;  // by the fullest rank
  double saving = 0;
  double sent = 0, sent_by_all = 0;  // in a step, by the rank that sends most, and by all
  double seconds = 0;                // of the slowest rank on the link; 0: no link is given
};

double SentBy(const RankCosts& rank) {
  double sent = 0;
  for (const plan::Collective c : plan::kCollectives) sent += static_cast<double>(rank.of(c).sent);
  return sent;
}

Scaled ScaledOf(const Costs& costs) {
  Scaled scaled{.ranks = costs.ranks.size(), .held = costs.fullest().held(), .saving = costs.SavingOf(costs.fullest())};
  for (const RankCosts& rank : costs.ranks) {
    const double sent = SentBy(rank);
    scaled.sent = std::max(scaled.sent, sent);
    scaled.sent_by_all += sent;
    scaled.seconds = std::max(scaled.seconds, rank.seconds());
  }
  return scaled;
}

}  // namespace

std::string ScalingText(const std::vector<Costs>& by_ranks) {
  std::string text = fmt::format("{:>8}{:>16}{:>10}{:>18}{:>14}{:>14}\n", "ranks", "held by one", "saved",
                                 "sent by one", "by all", "on the link");
  for (const Costs& costs : by_ranks) {
    const Scaled s = ScaledOf(costs);
    text += fmt::format("{:>8}{:>16}{:>8.1f} %{:>18}{:>14}{:>14}\n", s.ranks, BytesText(static_cast<double>(s.held)),
                        100 * s.saving, BytesText(s.sent), BytesText(s.sent_by_all),
                        s.seconds > 0 ? fmt::format("{:.3f} ms", s.seconds * 1e3) : "");
  }
  return text;
}

std::string ScalingJson(const std::vector<Costs>& by_ranks) {
  auto list = nlohmann::ordered_json::array();
  for (const Costs& costs : by_ranks) {
    const Scaled s = ScaledOf(costs);
    list.push_back({{"ranks", s.ranks},
                    {"held", s.held},
                    {"unsharded", costs.unsharded},
                    {"sent", s.sent},
                    {"sent_by_all", s.sent_by_all},
                    {"seconds", s.seconds}});
  }
  return Dumped(list, 1) + "\n";
}

}  // namespace zerocts
