#include "conformance/plans/fuzz/fuzz_run.hpp"

#include <algorithm>

namespace zerocts {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kHangs = 3;  // while a hang is shrunk; each costs a deadline

/// Walks down to the simplest request for which `fails` holds.
template <typename Fails>
PlanningRequest Shrunk(const PlanningRequest& failing, int tries, std::chrono::milliseconds time, Fails fails) {
  const auto until = Clock::now() + time;
  rc::Shrinkable<PlanningRequest> smallest = Shrinkable(failing);
  auto simpler = smallest.shrinks();
  while (const auto candidate = simpler.next()) {
    if (tries-- <= 0 || Clock::now() >= until) break;
    if (!fails(candidate->value())) continue;
    smallest = *candidate;
    simpler = smallest.shrinks();
  }
  return smallest.value();
}

class Run {
 public:
  Run(const MakePlanner& make, const FuzzSettings& settings) : settings_(settings), planner_(make) {}

  FuzzOutcome Done() {
    const auto start = Clock::now();
    AskAll();
    outcome_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    outcome_.answers = planner_.answers();
    ShrinkEnd();
    for (const FuzzProperty& property : settings_.properties) {
      const auto found = failing_.find(property.name);
      if (found != failing_.end()) outcome_.counterexamples.push_back(ShrunkOf(property, found->second));
    }
    return std::move(outcome_);
  }

 private:
  struct Failing {
    PlanningRequest request;
    std::string what;
  };

  void AskAll() {
    for (const PlanningRequest& request : settings_.corpus) {
      if (!AskOne(request)) return;
    }
    const rc::Gen<PlanningRequest> requests = RequestsOf(settings_.space);
    rc::Random random(settings_.seed);
    for (int c = 0; c < settings_.cases && !AllBroken(); ++c) {
      if (!AskOne(requests(random.split(), 0).value())) return;
    }
  }

  bool AllBroken() const { return failing_.size() == settings_.properties.size(); }

  /// False: the planner has ended.
  bool AskOne(const PlanningRequest& request) {
    ++outcome_.cases;
    AskedCase asked(planner_, request);
    const bool goes_on = Judge(asked);
    if (!goes_on || !asked.answer().refusal.empty()) {
      outcome_.refused += goes_on;
      return goes_on;
    }
    return std::ranges::all_of(asked.on_more_ranks(), [this](AskedCase& more) { return JudgeAnswer(more); });
  }

  bool Judge(AskedCase& asked) {
    return Asks(asked, [&] {
      for (const FuzzProperty& property : settings_.properties) {
        if (failing_.contains(property.name) || !asked.answer().refusal.empty()) continue;
        outcome_.judged[property.name] += Find(property, asked).has_value();
      }
    });
  }

  /// What no other question is needed for.
  bool JudgeAnswer(AskedCase& asked) {
    return Asks(asked, [&] {
      for (const FuzzProperty& property : settings_.properties) {
        if (property.of == FuzzProperty::Of::kPlanner || failing_.contains(property.name)) continue;
        if (asked.answer().refusal.empty()) Find(property, asked);
      }
    });
  }

  Finding Find(const FuzzProperty& property, AskedCase& asked) {
    const Finding finding = property.judge(asked);
    if (!finding.value_or("").empty()) failing_.emplace(property.name, Failing{asked.request(), *finding});
    return finding;
  }

  template <typename Questions>
  bool Asks(const AskedCase& asked, Questions questions) {
    try {
      questions();
      return true;
    } catch (const PlannerEnded& ended) {
      outcome_.end = PlannerEnd{ended.what(), ended.hung, asked.request()};
      return false;
    }
  }

  /// How a case ends the planner; nothing: it does not.
  std::optional<PlannerEnd> EndOf(const PlanningRequest& request) {
    try {
      AskedCase asked(planner_, request);
      for (const FuzzProperty& property : settings_.properties) property.judge(asked);
      return std::nullopt;
    } catch (const PlannerEnded& ended) {
      return PlannerEnd{ended.what(), ended.hung, request};
    }
  }

  void ShrinkEnd() {
    if (!outcome_.end) return;
    int hangs = 0;
    const auto ends_likewise = [&](const PlanningRequest& request) {
      if (hangs == kHangs) return false;
      const std::optional<PlannerEnd> end = EndOf(request);
      hangs += end && end->hung;
      const bool same = end && end->hung == outcome_.end->hung;
      if (same) outcome_.end = end;
      return same;
    };
    const PlanningRequest first = outcome_.end->request;
    Shrunk(first, settings_.shrink_tries, settings_.shrink_time, ends_likewise);
  }

  /// What the property says of a request; "" also where the planner ends.
  std::string Broken(const FuzzProperty& property, const PlanningRequest& request) {
    try {
      AskedCase asked(planner_, request);
      return property.judge(asked).value_or("");
    } catch (const PlannerEnded&) {
      return "";
    }
  }

  /// The shrunk failure; of a planner that answers otherwise when it is asked again, what it was when it was found.
  Counterexample ShrunkOf(const FuzzProperty& property, const Failing& failing) {
    const PlanningRequest smallest =
        Shrunk(failing.request, settings_.shrink_tries, settings_.shrink_time,
               [&](const PlanningRequest& request) { return !Broken(property, request).empty(); });
    Counterexample found{property.name, "", property.of == FuzzProperty::Of::kPlan, smallest, std::nullopt};
    try {
      AskedCase asked(planner_, smallest);
      found.what = property.judge(asked).value_or("");
      found.plan = asked.answer().plan;
    } catch (const PlannerEnded&) {
    }
    if (found.what.empty()) found.what = failing.what + " (and not so when it was asked again)";
    return found;
  }

  const FuzzSettings& settings_;
  AskedPlanner planner_;
  FuzzOutcome outcome_;
  std::map<std::string, Failing> failing_;  // the first of each property
};

}  // namespace

std::string SentenceOf(const Counterexample& found) {
  return found.of_plan ? found.what : found.property + ": " + found.what;  // the judge's begin with the property
}

FuzzOutcome RunFuzz(const MakePlanner& make, const FuzzSettings& settings) { return Run(make, settings).Done(); }

}  // namespace zerocts
