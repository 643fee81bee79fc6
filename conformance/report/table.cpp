// The report for people: what ran, a table clause x world size, every failure in full, what was not reached, the
// verdict.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "conformance/report/failure_text.hpp"
#include "conformance/report/mark.hpp"
#include "conformance/report/reports.hpp"
#include "conformance/report/text.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

constexpr int kColumns = 100;
constexpr int kCellWidth = 6;

std::string Header(const RunView& view, const Painter& paint) {
  const json& run = view.run;
  if (run.is_null()) return "";
  const json subject = run.value("subject", json::object());
  const std::string who = fmt::format("{} {}", subject.value("name", "unnamed subject"), subject.value("version", ""));
  return fmt::format("{}  {}\n\n", paint.Bold(Printable(who)), view.setting());
}

class Table {
 public:
  Table(const RunView& view, const Painter& paint) : view_(view), paint_(paint) {
    for (const ClauseView& clause : view.clauses) {
      for (const StratumView& stratum : clause.strata) world_sizes_.insert(stratum.world_size);
    }
    const int room = kColumns - 34 - kCellWidth * static_cast<int>(world_sizes_.size());
    name_width_ = std::max(12, std::min(44, room));
  }

  std::string Text() {
    std::string out = fmt::format("{:<10}  {:<{}}", "clause", "", name_width_);
    for (int world_size : world_sizes_) out += fmt::format("{:>{}}", fmt::format("W={}", world_size), kCellWidth);
    out += fmt::format("{:>8}  {}\n", "cases", "result");
    for (const ClauseView& clause : view_.clauses) out += Row(clause);
    return out + Legend();
  }

 private:
  std::string Row(const ClauseView& clause) {
    std::string out = fmt::format("{:<10}  {:<{}}", clause.id, Clipped(clause.name, name_width_), name_width_);
    for (int world_size : world_sizes_) out += Cell(clause, world_size);
    out += fmt::format("{:>8}  ", clause.cases());
    const std::string word = clause.ended ? ToString(clause.result) : "cut off";
    return out + paint_.As(clause.ended ? clause.result : Result::kHarnessError, word) + '\n';
  }

  /// The worst over launchers and precisions; blank where nothing ran.
  std::string Cell(const ClauseView& clause, int world_size) {
    std::optional<Result> worst;
    for (const StratumView& stratum : clause.strata) {
      if (stratum.world_size == world_size) worst = Worst(worst.value_or(Result::kUnsupported), stratum.result);
    }
    if (!worst) return std::string(kCellWidth, ' ');
    shown_.insert(*worst);
    return paint_.As(*worst, fmt::format("{:>{}}", MarkOf(*worst).word, kCellWidth));
  }

  std::string Legend() const {
    std::string out;
    for (Result result : shown_) {
      if (result != Result::kPass) out += fmt::format("  {:>5}  {}\n", MarkOf(result).word, MarkOf(result).meaning);
    }
    return out.empty() ? out : fmt::format("\n{}", out);
  }

  const RunView& view_;
  const Painter& paint_;
  std::set<int> world_sizes_;
  int name_width_ = 0;
  std::set<Result> shown_;
};

/// What was seen of the subject and is no failure.
std::string NotesOn(const RunView& view) {
  std::string out;
  if (!view.run.is_object()) return out;
  for (const json& note : view.run.value("subject", json::object()).value("notes", json::array())) {
    out += Wrap(Printable(fmt::format("Note: {}", note.get<std::string>())), kColumns, 0);
  }
  return out.empty() ? out : '\n' + out;
}

std::string FailuresOf(const ClauseView& clause, const Painter& paint) {
  std::string out;
  for (const StratumView& stratum : clause.strata) {
    for (const json& failure : stratum.failures) {
      const std::string head = fmt::format("{} under {}: {}", clause.id, stratum.name(), ToString(stratum.result));
      out +=
          fmt::format("\n{}\n{}", paint.As(stratum.result, head), Wrap(Printable(FailureText(failure)), kColumns, 2));
    }
  }
  if (out.empty()) return "";
  const std::string demand = fmt::format("{} {}: {}", clause.id, clause.name, clause.sentence);
  return fmt::format("\n{}{}", Wrap(Printable(demand), kColumns, 0), out);
}

std::string Failures(const RunView& view, const Painter& paint) {
  std::string out;
  for (const ClauseView& clause : view.clauses) out += FailuresOf(clause, paint);
  for (const GroupEndView& end : view.group_ends) {
    const std::string head = fmt::format("{}: {}", end.name(), ToString(end.result));
    out += fmt::format("\n{}\n{}", paint.As(end.result, head), Wrap(Printable(FailureText(end.record)), kColumns, 2));
  }
  return out;
}

/// Lines "what: where, where", each kind under its heading, when there is something to say.
class Notes {
 public:
  void Add(const std::string& what, const std::string& where) { where_[what].insert(where); }
  std::string Text(const std::string& heading) const {
    if (where_.empty()) return "";
    std::string out = fmt::format("\n{}\n", heading);
    for (const auto& [what, where] : where_) {
      out += Wrap(Printable(fmt::format("{} ({})", what, fmt::join(where, ", "))), kColumns, 2);
    }
    return out;
  }

 private:
  std::map<std::string, std::set<std::string>> where_;
};

/// "clip" of "clip_active needs: clip"; none: it is the suite that has no words for it yet.
std::optional<std::string> Lacking(const std::string& need) {
  const std::string mark = "needs: ";
  const size_t at = need.find(mark);
  return at == std::string::npos ? std::nullopt : std::optional(need.substr(at + mark.size()));
}

std::string WhatWasNotReached(const RunView& view) {
  Notes lacking, unsupported, short_of, not_asked;
  const auto add = [&](const std::string& need, const ClauseView& clause, Notes& otherwise) {
    const std::optional<std::string> lack = Lacking(need);
    (lack ? lacking : otherwise).Add(lack.value_or(need), clause.id);
  };
  for (const ClauseView& clause : view.clauses) {
    if (!clause.StrataExplainResult()) short_of.Add(clause.Complaint(), clause.id);
    std::set<std::string> by_strata;  // these are among the needs, too
    for (const StratumView& stratum : clause.strata) {
      const bool told = !stratum.failures.empty() || stratum.result == Result::kStale;  // above
      if (stratum.reason.empty() || told) continue;
      if (stratum.result == Result::kUnsupported) {
        by_strata.insert(stratum.reason);
        add(stratum.reason, clause, unsupported);
      } else {
        short_of.Add(stratum.reason, clause.id);
      }
    }
    for (const std::string& need : clause.needs) {
      if (!by_strata.contains(need)) add(need, clause, not_asked);
    }
  }
  return short_of.Text("Not checked enough:") + unsupported.Text("Not applicable to this subject:") +
         lacking.Text("Not judged, for the subject or this run lacks:") + not_asked.Text("Not asked by the suite yet:");
}

std::string Expectations(const RunView& view) {
  std::map<std::string, std::string> lines;  // by state
  for (const ExpectationView& expectation : view.expectations) {
    const std::string seen =
        expectation.reason.empty() ? fmt::format("{} cases", expectation.cases) : expectation.reason;
    lines[expectation.state] +=
        Wrap(Printable(fmt::format("{} {}: {}", expectation.clause, expectation.Text(), seen)), kColumns, 2);
  }
  std::string out;
  for (const auto& [state, heading] :
       {std::pair("held", "Known failures:"), std::pair("stale", "Expectations that no longer hold:"),
        std::pair("not judged", "Expectations that this run did not judge:")}) {
    if (lines.contains(state)) out += fmt::format("\n{}\n{}", heading, lines[state]);
  }
  return out;
}

/// "pairs of stage, plan, precision and mesh: 117 of 118 drawn; not stage 3 + mesh 2 x 2"
std::string PairsText(const json& end) {
  if (!end.contains("pairs")) return "";
  constexpr size_t kNamed = 3;
  const auto possible = end.at("pairs").at("possible").get<size_t>();
  auto missing = end.at("pairs").at("missing").get<std::vector<std::string>>();
  std::string text =
      fmt::format("pairs of stage, plan, precision and mesh: {} of {} drawn", possible - missing.size(), possible);
  if (missing.empty()) return text + "\n";
  const std::string more = missing.size() > kNamed ? fmt::format(" and {} more", missing.size() - kNamed) : "";
  missing.resize(std::min(missing.size(), kNamed));
  return Wrap(fmt::format("{}; not {}{}", text, fmt::join(missing, ", "), more), kColumns, 0);
}

std::string VerdictText(const RunView& view, const Painter& paint) {
  std::vector<std::string> counts;
  for (const auto& [result, count] : view.counts()) counts.push_back(fmt::format("{} {}", count, ToString(result)));
  const auto idle = std::ranges::count(view.clauses, Result::kUnsupported, &ClauseView::result);
  const std::string figures =
      fmt::format("{} clauses judged{}, {} cases; strata: {}", view.clauses.size() - static_cast<size_t>(idle),
                  idle > 0 ? fmt::format(", {} not applicable", idle) : "", view.cases(),
                  counts.empty() ? "none" : fmt::format("{}", fmt::join(counts, ", ")));
  if (const std::string objection = view.Objection(); !objection.empty()) {
    const std::string verdict = fmt::format("NO VERDICT: {}", objection);
    return fmt::format("\n{}\n{}", paint.As(Result::kHarnessError, verdict), Wrap(figures, kColumns, 0));
  }
  const json& end = *view.end;
  std::string verdict = Printable(view.verdict.text);
  for (char& c : verdict) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format("\n{} (exit code {}) after {:.1f} s\n{}",
                     paint.As(view.conformant() ? Result::kPass : Result::kFail, verdict), view.verdict.exit_code,
                     end.value("seconds", 0.0), Wrap(figures, kColumns, 0) + PairsText(end));
}

}  // namespace

std::string TableOf(const RunView& view, bool color) {
  const Painter paint(color);
  return Header(view, paint) + Table(view, paint).Text() + NotesOn(view) + Failures(view, paint) + Expectations(view) +
         WhatWasNotReached(view) + VerdictText(view, paint);
}

}  // namespace zerocts
