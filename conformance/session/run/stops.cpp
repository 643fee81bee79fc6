#include "conformance/session/run/stops.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <utility>

#include "conformance/cases/case/without_numbers.hpp"
#include "conformance/host/system/interrupt.hpp"
#include "conformance/report/words/text.hpp"

namespace zerocts {
namespace {

/// "at step 3, micro-batch 1, in accumulate: barrier, of 4" as "accumulate: barrier, of N".
std::string Place(const std::string& position) {
  const size_t call = position.find("in ");
  std::string place = WithoutNumbers(call == std::string::npos ? position : position.substr(call + 3));
  std::ranges::replace(place, '#', 'N');
  return place;
}

}  // namespace

std::string PlaceOfHang(const Failure& hang) {
  constexpr std::string_view kStands = ", stands ";
  std::set<std::string> places;
  for (const RankReport& rank : hang.reports) {
    const size_t at = rank.state.find(kStands);
    if (at != std::string::npos) places.insert(Place(rank.state.substr(at + kStands.size())));
  }
  return places.empty() ? "its start" : fmt::format("{}", fmt::join(places, " and "));
}

void Stops::TellHang(const Case& c, const Configuration& configuration, const std::string& message) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(told_, true) || !tells_) return;
  fmt::print(stderr, "{}first hang: {} under {}: {}\n", isatty(STDERR_FILENO) ? "\r\x1b[K" : "", c.clause,
             ToString(configuration), Printable(message));
}

void Stops::Add(const Configuration& configuration, const ConfigurationOutcome& outcome) {
  if (most_hangs_ == 0 || outcome.cases == 0) return;
  const bool hung = outcome.failure && outcome.failure->result == Result::kHang;
  const std::string place = hung ? PlaceOfHang(*outcome.failure) : "";
  const std::lock_guard lock(mutex_);
  if (!why_.empty()) return;
  const bool ends_row = outcome.cases > (hung ? 1 : 0) && configuration.world_size > 1;
  if (ends_row || (hung && place != place_)) hangs_ = 0;
  if (!hung) return;
  place_ = place;
  ++hangs_;
  std::set<std::string>& clauses = clauses_[place];
  clauses.insert(outcome.failure->c.clause);
  if (hangs_ == most_hangs_) {
    why_ = fmt::format("{} cases in a row hung in {}", hangs_, place);
  } else if (std::ssize(clauses) == most_hangs_) {
    why_ = fmt::format("cases of {} clauses hung in {}", clauses.size(), place);
  }
}

bool Stops::HasHung() const {
  const std::lock_guard lock(mutex_);
  return hangs_ > 0;
}

std::string Stops::Why() const {
  if (const std::string by = InterruptedBy(); !by.empty()) return "interrupted by " + by;
  const std::lock_guard lock(mutex_);
  return why_.empty() ? "" : why_ + " (--no-stop goes on)";
}

}  // namespace zerocts
