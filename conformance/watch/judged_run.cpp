#include "conformance/watch/judged_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "conformance/cases/case/counted.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/exit_codes.hpp"
#include "conformance/host/system/nearest.hpp"

namespace zerocts::watch {
namespace {

constexpr std::string_view kWithLibrary = ", with the library of zerocts watch prepare";
constexpr std::string_view kWithoutLibrary =
    "; the operations of reductions are not known (zerocts watch prepare builds what knows them, and costs less)";

std::string LevelText(Level level) { return level == Level::kAlarm ? "ALARM" : "notice"; }

std::string NameOf(const std::string& id) {
  const auto clause = std::ranges::find(AllLiveClauses(), id, &LiveClause::id);
  return clause == AllLiveClauses().end() ? id : clause->name;
}

/// Alarms, then notices, each from the first step on; of each clause the first few. Ids ascend from causes to what
/// follows from them.
std::vector<std::string> FindingLines(std::vector<Finding> findings) {
  const auto order = [](const Finding& f) { return std::tuple(f.level != Level::kAlarm, f.step, f.clause); };
  std::ranges::stable_sort(findings, {}, order);
  std::map<std::pair<std::string, Level>, int> counts;
  for (const Finding& f : findings) ++counts[{f.clause, f.level}];
  std::map<std::pair<std::string, Level>, int> shown;
  std::vector<std::string> lines;
  for (const Finding& f : findings) {
    const int number = ++shown[{f.clause, f.level}], all = counts[{f.clause, f.level}];
    if (number > kMostSaid) continue;
    lines.push_back(fmt::format("{}: {}, {}", LevelText(f.level), NameOf(f.clause), f.Sentence()));
    if (number == kMostSaid && all > kMostSaid) lines.back() += fmt::format("; and {} more", all - kMostSaid);
  }
  return lines;
}

/// "12,345".
std::string Grouped(int64_t count) {
  std::string digits = std::to_string(count);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<size_t>(at), ",");
  return digits;
}

}  // namespace

void RequireLiveClauses(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const LiveClause& clause : AllLiveClauses()) known.push_back(clause.name);
  for (const std::string& name : names) {
    const bool is_known = std::ranges::any_of(
        AllLiveClauses(), [&](const LiveClause& clause) { return clause.name == name || clause.id == name; });
    if (!is_known)
      throw UsageError(fmt::format("--allow: expected a live clause ({}), got '{}'{}", fmt::join(known, ", "), name,
                                   DidYouMean(name, known)));
  }
}

JudgedRun::JudgedRun(JudgeSettings settings, std::function<void(const std::string&)> say)
    : settings_(std::move(settings)),
      say_(std::move(say)),
      run_([this](const Finding& finding) {
        say_(fmt::format("{}: {}, {}", LevelText(finding.level), NameOf(finding.clause), finding.Sentence()));
      }),
      judge_(run_, settings_.strict, settings_.allowed) {}

void JudgedRun::Take(const Record& record) {
  judge_.Take(record);
  if (const auto* off = std::get_if<OffRecord>(&record))
    say_(fmt::format("rank {} is not watched any more: {}", off->from.rank, off->reason));
  if (!said_) SayWhatIsWatched(record);
  if (const auto* step = std::get_if<StepRecord>(&record)) KeepToBudget(*step);
}

void JudgedRun::KeepToBudget(const StepRecord& step) {
  if (!settings_.set_every) return;
  const std::optional<Budget::Change> change = budget_.Take(step);
  if (!change) return;
  run_.SetUneven();
  settings_.set_every(change->every, change->from);
  say_(fmt::format("looks at one step in {} from step {} on, for {:.0f} % of the CPU time", change->every, change->from,
                   100 * Budget::kShare));
}

void JudgedRun::SayWhatIsWatched(const Record& record) {
  const auto* step = std::get_if<StepRecord>(&record);
  if (!step) return;
  said_ = true;
  const StartRecord first = run_.processes().empty() ? StartRecord{} : run_.processes().front();
  say_(fmt::format("watching {} with torch {}: {}{}", Counted(run_.world(), "rank"), first.torch,
                   Counted(std::ssize(step->parts), "parameter"), first.compiled ? kWithLibrary : kWithoutLibrary));
}

void JudgedRun::Finish() { judge_.Finish(); }

int64_t JudgedRun::Count(Level level) const { return std::ranges::count(run_.findings(), level, &Finding::level); }

int JudgedRun::exit_code() const {
  if (Count(Level::kAlarm) > 0) return kExitNotConformant;
  return NothingJudged().empty() ? kExitConformant : kExitTooFew;
}

bool JudgedRun::IsAllowed(const LiveClause& clause) const {
  return std::ranges::count(settings_.allowed, clause.name) + std::ranges::count(settings_.allowed, clause.id) > 0;
}

std::string JudgedRun::NothingJudged() const {
  if (run_.processes().empty()) return "no process that imports torch made a step or entered a collective";
  if (run_.steps() == 0) return "no optimizer of torch made a step";
  const bool any = std::ranges::any_of(AllLiveClauses(), [&](const LiveClause& c) { return run_.judged(c.id) > 0; });
  if (any) return "";
  return run_.switched_off().empty() ? "nothing that a clause is about was seen" : "the witness was switched off";
}

std::vector<std::string> JudgedRun::Summary() const {
  std::vector<std::string> lines, held, unseen;
  int64_t comparisons = 0;
  for (const LiveClause& clause : AllLiveClauses()) {
    const int64_t judged = run_.judged(clause.id);
    comparisons += judged;
    const bool is_found = std::ranges::count(run_.findings(), clause.id, &Finding::clause) > 0;
    if (judged > 0 && !is_found) held.push_back(fmt::format("{} {}", clause.name, Grouped(judged)));
    if (judged == 0 && !is_found)
      unseen.push_back(fmt::format("{} ({})", clause.name, IsAllowed(clause) ? "allowed" : clause.unseen));
  }
  if (const std::string why = NothingJudged(); !why.empty()) lines.push_back("nothing was judged: " + why);
  lines.push_back(fmt::format("{}, {}, {} comparisons: {}, {}", Counted(run_.world(), "rank"),
                              Counted(run_.steps(), "step"), Grouped(comparisons),
                              Counted(Count(Level::kAlarm), "alarm"), Counted(Count(Level::kNotice), "notice")));
  if (!held.empty()) lines.push_back(fmt::format("held: {}", fmt::join(held, ", ")));
  std::ranges::copy(FindingLines(run_.findings()), std::back_inserter(lines));
  for (const std::string& clause : unseen) lines.push_back("not seen: " + clause);
  for (const auto& [rank, reason] : run_.switched_off())
    lines.push_back(fmt::format("rank {} was not watched to its end: {}", rank, reason));
  return lines;
}

}  // namespace zerocts::watch
