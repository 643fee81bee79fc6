// One run as a page: the verdict, the diagnosis, the first failure, the families, then the rest.
#include "conformance/report/html/run_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "conformance/report/html/html.hpp"
#include "conformance/report/html/html_failures.hpp"
#include "conformance/report/view/families.hpp"
#include "conformance/report/view/not_reached.hpp"
#include "conformance/report/view/run_diff.hpp"
#include "conformance/report/view/verdict_text.hpp"
#include "conformance/report/words/mark.hpp"
#include "conformance/report/words/text.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

Result KindOfVerdict(const RunView& view) {
  if (!view.Objection().empty()) return Result::kHarnessError;
  switch (view.verdict.exit_code) {
    case 0: return Result::kPass;
    case 6: return Result::kTooFew;
    case 77: return Result::kNotApplicable;
    default: return Result::kFail;
  }
}

/// Two blanks, which stand between the parts of a setting, as a dot.
std::string Dotted(std::string text) {
  for (size_t at; (at = text.find("  ")) != std::string::npos;) text.replace(at, 2, " \u00b7 ");
  return text;
}

std::string Banner(const RunView& view) {
  const Result kind = KindOfVerdict(view);
  const std::string code = view.Objection().empty() ? fmt::format("exit code {}", view.verdict.exit_code)
                                                    : std::string("its log proves no verdict: exit code 3");
  return fmt::format(
      "<header class=\"card verdict {}\">\n<p class=\"soft\">{} {}</p>\n<h1><i aria-hidden=\"true\">{}</i>{}</h1>\n"
      "<p class=\"soft\">{}</p>\n</header>\n",
      HtmlClassOf(kind), XmlText(view.subject_name()), XmlText(view.subject_version()), MarkOf(kind).glyph,
      XmlText(VerdictSentence(view)), XmlText(Dotted(code + "  " + view.setting())));
}

std::string Figure(const std::string& what, const std::string& html, bool hole = false) {
  return fmt::format("<div{}><dt>{}</dt><dd>{}</dd></div>\n", hole ? " class=\"hole\"" : "", what, html);
}

std::string Figures(const RunView& view) {
  const auto failed = std::ranges::count_if(view.clauses, [](const ClauseView& clause) {
    return HtmlClassOf(clause.result) == std::string("bad") || !clause.ended;
  });
  std::string out = "<dl class=\"figures\">\n";
  if (view.plan) {
    const int64_t planned = view.plan->all_configurations();
    out += Figure("configurations executed",
                  fmt::format("{} <small>of {} planned</small>", view.configurations(), planned),
                  view.configurations() < planned);
  }
  out += Figure("clauses judged", fmt::format("{} <small>of {}</small>", view.judged(), view.clauses.size()));
  if (view.self_reported() > 0) out += Figure("self-reported", std::to_string(view.self_reported()));
  out += Figure("clauses that failed", std::to_string(failed), failed > 0);
  out += Figure("cases", std::to_string(view.cases()));
  const auto known = std::ranges::count(view.expectations, "held", &ExpectationView::state);
  if (known > 0) out += Figure("known failures", std::to_string(known));
  if (view.end) out += Figure("seconds", fmt::format("{:.1f}", view.end->value("seconds", 0.0)));
  return out + "</dl>\n";
}

Result MarkedAs(Reach reach) {
  switch (reach) {
    case Reach::kInFull: return Result::kPass;
    case Reach::kSelfReported: return Result::kSelfReported;
    case Reach::kInPart: return Result::kExpected;
    case Reach::kNotClaimed: return Result::kNotApplicable;
  }
  return Result::kNotApplicable;
}

std::string Profiles(const RunView& view) {
  std::string items;
  for (const auto& [reach, text] : ProfilesByReach(view)) {
    const Result mark = MarkedAs(reach);
    items += fmt::format("<li><i class=\"{}\" aria-hidden=\"true\">{}</i> {}</li>\n", HtmlClassOf(mark),
                         MarkOf(mark).glyph, XmlText(text));
  }
  return items.empty() ? "" : fmt::format("<h2>Profiles</h2>\n<ul>\n{}</ul>\n", items);
}

std::string Declared(const ChangedValues& values) {
  std::string out;
  for (const auto& [what, lines] : {std::pair{"declares another value", &values.changed},
                                    {"declares what it did not", &values.added},
                                    {"declares no more", &values.removed}}) {
    if (lines->empty()) continue;
    out += fmt::format("<details open=\"open\"><summary><b>{}</b>: {}</summary>\n<ul>\n", what, lines->size());
    for (const std::string& line : *lines) out += fmt::format("<li>{}</li>\n", XmlText(line));
    out += "</ul></details>\n";
  }
  return out;
}

std::string Changes(const RunDiff& since) {
  std::string out = fmt::format(
      "<h2 id=\"changes\">Changed since an earlier run</h2>\n<div class=\"card\">\n"
      "<p class=\"soft\">Earlier: {}</p>\n",
      XmlText(since.before));
  for (const std::string& condition : since.conditions) out += fmt::format("<p>Other {}</p>\n", XmlText(condition));
  for (const std::string& revision : since.revisions) out += fmt::format("<p>{}</p>\n", XmlText(revision));
  out += Declared(since.declared);
  for (const auto& [kind, changes] : since.changes) {
    const bool open = kind == ChangeKind::kNewlyFailing || kind == ChangeKind::kLost;
    out += fmt::format("<details{}><summary><b>{}</b>: {}</summary>\n<ul>\n", open ? " open=\"open\"" : "",
                       ToString(kind), changes.size());
    for (const Change& change : changes) out += fmt::format("<li>{}</li>\n", XmlText(TextOf(change)));
    out += "</ul></details>\n";
  }
  if (since.changes.empty() && since.no_verdict.empty()) out += "<p>Nothing came to another result.</p>\n";
  if (!since.remarks.empty()) out += fmt::format("<pre>{}</pre>\n", XmlText(since.remarks));
  for (const std::string& log : since.no_verdict) out += fmt::format("<p>No verdict of the {}</p>\n", XmlText(log));
  return out + fmt::format("<p class=\"soft\">{} configurations still fail, {} still pass.</p>\n</div>\n",
                           since.still_failing, since.still_passing);
}

std::string Cells(const std::map<int, Result>& cells, const std::set<int>& world_sizes) {
  std::string out;
  for (const int world_size : world_sizes) {
    const auto cell = cells.find(world_size);
    out += cell == cells.end() ? "<td class=\"cell\"></td>"
                               : fmt::format("<td class=\"cell\">{}</td>", HtmlMark(cell->second));
  }
  return out;
}

std::string Head(const char* what, const std::set<int>& world_sizes, const char* last) {
  std::string out = fmt::format("<thead><tr><th scope=\"col\">{}</th>", what);
  for (const int world_size : world_sizes)
    out += fmt::format("<th scope=\"col\"><abbr title=\"{0} ranks\">W={0}</abbr></th>", world_size);
  return out + fmt::format("{}<th scope=\"col\" class=\"number\">cases</th></tr></thead>\n", last);
}

std::string FamilyMatrix(const std::vector<FamilyView>& families, const std::set<int>& world_sizes) {
  std::string rows = Head("family", world_sizes, "<th scope=\"col\" class=\"number\">clauses</th>") + "<tbody>\n";
  for (const FamilyView& family : families) {
    const int64_t all = std::ssize(family.clauses);
    rows += fmt::format(
        "<tr><th scope=\"row\"><a href=\"#family-{0}\">{0}</a></th>{1}<td class=\"number\">{2}</td>"
        "<td class=\"number\">{3}</td></tr>\n",
        XmlText(family.name), Cells(family.cells, world_sizes),
        family.judged() == all ? std::to_string(all) : fmt::format("{} of {}", family.judged(), all), family.cases());
  }
  return "<h2>Families and world sizes</h2>\n<p class=\"soft\">A cell shows the worst that a clause of the family came "
         "to with that many ranks (W).</p>\n" +
         HtmlTable("Families and world sizes", rows + "</tbody>\n");
}

std::string Legend(const RunView& view) {
  std::set<Result> shown;
  for (const ClauseView& clause : view.clauses) {
    for (const auto& [world_size, result] : CellsOf(clause)) shown.insert(result);
  }
  std::string out;
  for (const Result result : shown) out += fmt::format("<p>{} {}</p>\n", HtmlMark(result), MarkOf(result).meaning);
  return fmt::format(
      "<details><summary>Legend</summary>\n{}<p>A configuration is one launcher, one number of ranks and "
      "one precision.</p>\n</details>\n",
      out);
}

/// Cases that had all that the clause is about, with the counts of each of its features.
std::string AskedOf(const ClauseView& clause) {
  if (!clause.asked) return "";
  return fmt::format("<abbr title=\"{}\">{}</abbr>", XmlAttribute(clause.asked->Text()), clause.asked->cases);
}

std::string ClauseRow(const ClauseView& clause, const std::set<int>& world_sizes) {
  const bool has_failure =
      std::ranges::any_of(clause.configurations, [](const auto& s) { return !s.failures.empty(); });
  const std::string id =
      has_failure ? fmt::format("<a href=\"#{}\">{}</a>", XmlAttribute(HtmlAnchorOf(clause.id)), XmlText(clause.id))
                  : XmlText(clause.id);
  return fmt::format(
      "<tr><th scope=\"row\">{}<small>{}</small></th>{}<td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
      id, XmlText(clause.name), Cells(CellsOf(clause), world_sizes), AskedOf(clause), clause.cases());
}

constexpr const char* kAsked =
    "<th scope=\"col\" class=\"number\"><abbr title=\"cases with everything that the clause tests\">asked</abbr></th>";

std::string Clauses(const std::vector<FamilyView>& families, const std::set<int>& world_sizes) {
  std::string out = "<h2>Clauses</h2>\n";
  for (const FamilyView& family : families) {
    std::string rows = Head("clause", world_sizes, kAsked) + "<tbody>\n";
    for (const ClauseView* clause : family.clauses) rows += ClauseRow(*clause, world_sizes);
    out += fmt::format("<details id=\"family-{0}\"{1}><summary>{2} <b>{0}</b>, {3} clauses</summary>\n{4}</details>\n",
                       XmlText(family.name), family.result > Result::kPass ? " open=\"open\"" : "",
                       HtmlMark(family.result), family.clauses.size(),
                       HtmlTable("Clauses of " + family.name, rows + "</tbody>\n"));
  }
  return out;
}

std::string Expectations(const RunView& view) {
  if (view.expectations.empty()) return "";
  std::vector<ExpectationView> oldest_first = view.expectations;
  std::ranges::stable_sort(oldest_first, {}, &ExpectationView::date);
  std::string rows =
      "<thead><tr><th scope=\"col\">since</th><th scope=\"col\">clause</th><th scope=\"col\">state</th>"
      "<th scope=\"col\">what is known</th></tr></thead>\n<tbody>\n";
  for (const ExpectationView& e : oldest_first) {
    rows += fmt::format(
        "<tr><td class=\"cell\">{}</td><th scope=\"row\">{}</th><td>{}</td><td>{}<br/><small>{} {}"
        "</small></td></tr>\n",
        XmlText(e.date), XmlText(e.clause), XmlText(e.state), XmlText(e.message),
        XmlText(e.issue.empty() ? "no upstream issue yet" : e.issue), XmlText(e.reason));
  }
  return "<h2>Known failures, oldest first</h2>\n" + HtmlTable("Known failures", rows + "</tbody>\n");
}

std::string NotJudged(const RunView& view) {
  const NotReached not_reached = NotReachedBy(view);
  std::string out;
  for (const NotReached::Named& named : not_reached.lists()) {
    const bool is_why = named.list == &not_reached.not_enough;
    out += fmt::format("<details{}><summary>{}: {}</summary>\n<ul>\n", is_why ? " open=\"open\"" : "", named.heading,
                       named.list->size());
    for (const auto& [what, ids] : *named.list)
      out += fmt::format("<li>{} <small class=\"soft\">{}</small></li>\n", XmlText(what),
                         XmlText(fmt::format("{}", fmt::join(ids, ", "))));
    out += "</ul></details>\n";
  }
  if (const std::string pairs = PairsOf(view); !pairs.empty()) out += fmt::format("<p>{}</p>\n", XmlText(pairs));
  return out.empty() ? "" : "<h2>What was not judged</h2>\n<div class=\"card\">\n" + out + "</div>\n";
}

std::string Pair(const std::string& what, const std::string& text) {
  return text.empty() ? "" : fmt::format("<dt>{}</dt><dd>{}</dd>\n", XmlText(what), XmlText(text));
}

std::string Machine(const RunView& view) {
  if (!view.run.is_object()) return "";
  const json& run = view.run;
  std::string out = Pair("host", run.value("host", ""));
  const json machine = run.value("machine", json::object());
  for (const auto& [what, text] : machine.items()) out += Pair(what, text);
  out += Pair("started", run.value("started", "")) + Pair("zerocts", run.value("version", ""));
  out += Pair("command", fmt::format("{}", fmt::join(run.value("argv", std::vector<std::string>{}), " ")));
  out += Pair("partial", view.partial);
  std::string notes;
  for (const NoteView& note : view.notes) notes += fmt::format("<p>Note: {}</p>\n", XmlText(note.Text()));
  return "<h2>Machine and run</h2>\n<div class=\"card\">\n<dl class=\"pairs\">\n" + out + "</dl>\n" + notes +
         "</div>\n";
}

std::string DiagnosisCard(const Diagnosis& diagnosis) {
  std::string notes, items;
  for (const SharedNote& note : diagnosis.notes)
    notes += fmt::format("<p>{} of {} failing clauses: <b>{}</b></p>\n", note.clauses, diagnosis.failing,
                         XmlText(note.text));
  for (const Candidate& candidate : diagnosis.candidates) {
    items +=
        fmt::format("<li>{:.0f} % similar: <b>{}</b>, {}{} <small class=\"soft\">in common: {}</small></li>\n",
                    100 * candidate.likeness, XmlText(candidate.id), XmlText(candidate.title),
                    XmlText(candidate.also.empty() ? "" : fmt::format(" (or {})", fmt::join(candidate.also, ", "))),
                    XmlText(fmt::format("{}", fmt::join(candidate.fits, "; "))));
  }
  if (!items.empty()) items = "<p class=\"soft\">Similar known faults:</p>\n<ol>\n" + items + "</ol>\n";
  if (!diagnosis.unlike.empty()) items += fmt::format("<p class=\"soft\">Perhaps {}.</p>\n", UnlikeText(diagnosis));
  if (notes.empty() && items.empty()) return "";
  return "<h2 id=\"diagnosis\">Diagnosis</h2>\n<div class=\"card\">\n" + notes + items + "</div>\n";
}

std::string Failures(const char* heading, std::span<const std::string> articles) {
  return articles.empty() ? "" : fmt::format("<h2>{}</h2>\n{}", heading, fmt::join(articles, ""));
}

}  // namespace

std::string HtmlOf(const RunView& view, const RunDiff* since) {
  const std::vector<FamilyView> families = FamiliesOf(view);
  const std::set<int> world_sizes = WorldSizesOf(view);
  const std::vector<std::string> articles = HtmlFailures(view);
  const std::span<const std::string> failures = articles;
  const size_t shown = std::min<size_t>(failures.size(), 1);
  return HtmlPage(fmt::format("{}: {}", view.subject_name(), VerdictSentence(view)),
                  Banner(view) + DiagnosisCard(view.diagnosis) + Failures("First failure", failures.first(shown)) +
                      FamilyMatrix(families, world_sizes) + Legend(view) +
                      Failures("More failures", failures.subspan(shown)) + Figures(view) + Profiles(view) +
                      (since ? Changes(*since) : "") + Expectations(view) + Clauses(families, world_sizes) +
                      NotJudged(view) + Machine(view));
}

}  // namespace zerocts
