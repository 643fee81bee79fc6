#include "conformance/report/diagnosis/shared_end.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <vector>

#include "conformance/cases/case/counted.hpp"
#include "conformance/cases/case/without_numbers.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

constexpr int64_t kLeastClauses = 3;
constexpr double kNearlyAll = 0.75;  // of the failing clauses

bool IsTheirs(const std::string& file) {
  return std::ranges::none_of(
      std::vector{"/site-packages/", "/dist-packages/", "/zerocts_rank/", "/zerocts_torch/", "/lib/python3", "<frozen"},
      [&](const char* other) { return file.find(other) != std::string::npos; });
}

/// What the last traceback ends with: "RuntimeError: no bucket (my_file.py:31, in step)".
std::string RaisedInTraceback(const std::string& output) {
  static const std::regex frame("  File \"([^\"\n]+)\", line ([0-9]+), in ([^\n]+)");
  const size_t begin = output.rfind("Traceback (most recent call last)");
  if (begin == std::string::npos) return "";
  const std::string text = output.substr(begin);
  std::string place;
  for (std::sregex_iterator at(text.begin(), text.end(), frame), end; at != end; ++at) {
    const std::string file = (*at)[1];
    if (IsTheirs(file))
      place = fmt::format(" ({}:{}, in {})", file.substr(file.rfind('/') + 1), (*at)[2].str(), (*at)[3].str());
  }
  static const std::regex last("\n([A-Za-z_][^\n]*)");
  std::smatch raised;
  return std::regex_search(text, raised, last) ? raised[1].str() + place : "";
}

std::set<std::string> RaisedKeysIn(const ClauseView& clause) {
  std::set<std::string> keys;
  for (const json* failure : clause.failures()) {
    if (const std::string raised = RaisedIn(*failure); !raised.empty()) keys.insert(WithoutNumbers(raised));
  }
  return keys;
}

bool HasAFailure(const ConfigurationView& configuration) { return !configuration.failures.empty(); }

int64_t FailingOf(const RunView& view) {
  return std::ranges::count_if(
      view.clauses, [](const ClauseView& clause) { return std::ranges::any_of(clause.configurations, HasAFailure); });
}

struct Raised {
  std::string key;
  int64_t clauses = 0;
};

/// What most clauses raised.
Raised MostRaised(const RunView& view) {
  std::map<std::string, int64_t> clauses;
  for (const ClauseView& clause : view.clauses) {
    for (const std::string& key : RaisedKeysIn(clause)) ++clauses[key];
  }
  const auto most = std::ranges::max_element(clauses, {}, [](const auto& entry) { return entry.second; });
  return most == clauses.end() ? Raised{} : Raised{most->first, most->second};
}

bool IsShared(const Raised& raised, const RunView& view) {
  return raised.clauses >= kLeastClauses &&
         static_cast<double>(raised.clauses) >= kNearlyAll * static_cast<double>(FailingOf(view));
}

/// A class of Python, and its words; else a rank refused in words of its own.
std::string SaidBySubject(const std::string& raised) {
  static const std::regex exception("^[A-Za-z_.]*(Error|Exception|Exit|Interrupt|Warning|StopIteration)\\b.*");
  return (std::regex_match(raised, exception) ? "the subject raised " : "the subject refused: ") + raised;
}

/// "the subject raised IndexError: no bucket 3 (my_file.py:31, in step)", of nearly all failing clauses, or of all,
/// however few they are.
std::optional<SharedNote> RaisedByMost(const RunView& view) {
  const Raised most = MostRaised(view);
  if (most.clauses == 0 || (!IsShared(most, view) && most.clauses < FailingOf(view))) return std::nullopt;
  for (const ClauseView& clause : view.clauses) {
    for (const json* failure : clause.failures()) {
      const std::string raised = RaisedIn(*failure);
      if (WithoutNumbers(raised) == most.key) return SharedNote{SaidBySubject(raised), most.clauses};
    }
  }
  return std::nullopt;
}

/// "the ranks hang; 41 clauses not run: 3 cases in a row hung in step: barrier (--no-stop goes on)"
std::optional<SharedNote> HungAtOnePlace(const RunView& view) {
  const int64_t hung = view.Count(Result::kHang), not_run = view.Count(Result::kNotRun);
  if (hung == 0 || not_run == 0 || !view.interrupted.empty()) return std::nullopt;
  const std::string why = std::ranges::find(view.clauses, Result::kNotRun, &ClauseView::result)->ReasonOfResult();
  return SharedNote{fmt::format("the ranks hang; {} {}", Counted(not_run, "clause"), why), hung};
}

/// "the ranks crash: rank 1 was killed by signal 11 (SIGSEGV)", "the ranks hang: rank 0: pid 9, stands at step 1, ..",
/// where no failure is of another kind.
std::optional<SharedNote> EndedInOneWay(const RunView& view) {
  const json* first = nullptr;
  for (const ClauseView& clause : view.clauses) {
    for (const json* failure : clause.failures()) {
      if (!first) first = failure;
      if (failure->value("ending", "") != first->value("ending", "")) return std::nullopt;
    }
  }
  const std::string ending = first ? first->value("ending", "") : "";
  if (ending != "crash" && ending != "hang") return std::nullopt;
  const std::string sentence = first->value("sentence", "");
  return SharedNote{fmt::format("the ranks {}: {}", ending, sentence.substr(0, sentence.find('\n'))), FailingOf(view)};
}

struct OfLauncher {
  int64_t clauses = 0, failed = 0;
};

/// "all 12 clauses that ran under local failed, under mpirun all passed"
std::optional<SharedNote> FailedUnderOneLauncher(const RunView& view) {
  std::map<std::string, OfLauncher> launchers;
  for (const ClauseView& clause : view.clauses) {
    std::map<std::string, bool> failed;
    for (const ConfigurationView& configuration : clause.configurations) {
      if (configuration.cases > 0) failed[configuration.launcher] |= HasAFailure(configuration);
    }
    for (const auto& [launcher, is_bad] : failed) {
      ++launchers[launcher].clauses;
      launchers[launcher].failed += is_bad ? 1 : 0;
    }
  }
  std::vector<std::string> bad, good;
  for (const auto& [launcher, of] : launchers) {
    if (of.failed == of.clauses) bad.push_back(launcher);
    if (of.failed == 0) good.push_back(launcher);
  }
  if (bad.size() != 1 || good.empty() || bad.size() + good.size() != launchers.size()) return std::nullopt;
  const int64_t clauses = launchers[bad.front()].clauses;
  if (clauses < kLeastClauses) return std::nullopt;
  return SharedNote{fmt::format("all {} clauses that ran under {} failed, under {} all passed", clauses, bad.front(),
                                fmt::join(good, " and ")),
                    clauses};
}

}  // namespace

std::string RaisedIn(const json& failure) {
  static const std::regex refused("refused [a-z_]+(?: \\(step [0-9]+\\))?: [A-Z_]+: ([^\n]*)");
  static const std::regex next_rank(", rank [0-9]+ (?:refused|observed|has not answered|was killed|exited)");
  const std::string sentence = failure.value("sentence", "");
  if (std::smatch found; std::regex_search(sentence, found, refused)) {
    const std::string raised = found[1];
    std::smatch next;
    return std::regex_search(raised, next, next_rank) ? next.prefix().str() : raised;
  }
  const std::string ending = failure.value("ending", "");
  if (ending != "crash" && ending != "early_exit") return "";
  for (const json& rank : failure.value("ranks", json::array())) {
    if (const std::string raised = RaisedInTraceback(rank.value("output", "")); !raised.empty()) return raised;
  }
  return "";
}

std::string SharedRaise(const RunView& view) {
  const Raised most = MostRaised(view);
  return IsShared(most, view) ? most.key : "";
}

void AddSharedEnds(const RunView& view, Diagnosis& diagnosis) {
  std::vector<SharedNote> notes;
  const std::optional<SharedNote> raised = RaisedByMost(view), hung = HungAtOnePlace(view);
  const std::optional<SharedNote> ended = raised || hung ? std::nullopt : EndedInOneWay(view);
  for (const std::optional<SharedNote>& note : {raised, hung, ended, FailedUnderOneLauncher(view)}) {
    if (note) notes.push_back(*note);
  }
  if (notes.empty()) return;
  diagnosis.failing = FailingOf(view);
  if (raised) diagnosis.notes.clear();
  if (raised || hung || ended) {
    diagnosis.candidates.clear();
    diagnosis.unlike.clear();
  }
  diagnosis.notes.insert(diagnosis.notes.begin(), notes.begin(), notes.end());
}

}  // namespace zerocts
