#include "conformance/report/html/html_failures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/report/html/html.hpp"
#include "conformance/report/terminal/failure_text.hpp"
#include "conformance/report/words/text.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

/// Text as it is, but the line of the first element that differs stands out, and a note is broken where it is too long
/// (check/finding/divergence.cpp begins the one with ">", the other with "note:").
std::string Divergence(const std::string& text) {
  std::string out;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    const std::string words = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    out += words.starts_with('>')       ? fmt::format("<mark>{}</mark>\n", XmlText(line))
           : words.starts_with("note:") ? fmt::format("<span class=\"note\">{}</span>\n", XmlText(line))
                                        : XmlText(line) + '\n';
    begin = end + 1;
  }
  return out;
}

std::string Block(const char* heading, const std::string& html) {
  return html.empty() ? "" : fmt::format("<h4>{}</h4>\n<pre>{}</pre>\n", heading, html);
}

std::string HtmlLine(const char* heading, const std::string& text) {
  return text.empty() ? "" : fmt::format("<h4>{}</h4>\n<p><code>{}</code></p>\n", heading, XmlText(text));
}

std::string RanksHtml(const json& failure) {
  std::string rows;
  for (const json& rank : failure.value("ranks", json::array())) {
    const std::string output = rank.value("output", "");
    rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}{}</td></tr>\n", rank.value("rank", -1),
                        XmlText(rank.value("state", "")),
                        output.empty() ? "" : fmt::format("<pre>{}</pre>", XmlText(output)));
  }
  if (rows.empty()) return "";
  return "<details><summary>Ranks: state and last output</summary>\n" +
         HtmlTable("Ranks",
                   "<thead><tr><th scope=\"col\">rank</th><th scope=\"col\">state and output</th></tr></thead>\n"
                   "<tbody>\n" +
                       rows + "</tbody>\n") +
         "</details>\n";
}

std::string Failure(const json& failure) {
  return fmt::format("<p class=\"said\">{}</p>\n", XmlText(failure.value("sentence", "no sentence was recorded"))) +
         Block("First difference and neighboring elements", Divergence(failure.value("divergence", ""))) +
         HtmlLine("Fidelity", failure.value("fidelity", "")) + HtmlLine("Case", failure.value("summary", "")) +
         Block("Replay it", XmlText(ReplayCommand(failure))) +
         Block("Show it with the framework alone", XmlText(ReproducerText(failure.value("reproducer", json())))) +
         RanksHtml(failure);
}

std::string FailureHead(const ConfigurationView& configuration, const json& failure) {
  return fmt::format("{} <span class=\"chip\">{}</span>", HtmlMark(configuration.result),
                     XmlText(ConfigurationText(failure)));
}

std::string Article(const ClauseView& clause) {
  std::string first, others;
  for (const ConfigurationView& configuration : clause.configurations) {
    for (const json& failure : configuration.failures) {
      if (first.empty()) {
        first = fmt::format("<p>{}</p>\n{}", FailureHead(configuration, failure), Failure(failure));
      } else {
        others += fmt::format("<details><summary>{}</summary>\n{}</details>\n", FailureHead(configuration, failure),
                              Failure(failure));
      }
    }
  }
  if (first.empty()) return "";
  return fmt::format(
      "<article class=\"card failure\" id=\"{}\">\n<h3>{} {}</h3>\n<p class=\"soft\">{}</p>\n{}{}{}</article>\n",
      XmlAttribute(HtmlAnchorOf(clause.id)), XmlText(clause.id), XmlText(clause.name), XmlText(clause.sentence), first,
      others.empty() ? "" : "<h4>Also fails under</h4>\n", others);
}

std::string Article(const GroupEndView& end) {
  return fmt::format("<article class=\"card failure\">\n<h3>Group of ranks: {}</h3>\n<p>{}</p>\n{}</article>\n",
                     XmlText(end.name()), HtmlMark(end.result), Failure(end.record));
}

}  // namespace

std::string HtmlAnchorOf(const std::string& clause) { return "failure-" + clause; }

std::vector<std::string> HtmlFailures(const RunView& view) {
  std::vector<const ClauseView*> clauses = MostSpecificFirst(view);
  std::ranges::stable_sort(clauses, std::greater(), &ClauseView::result);
  std::vector<std::string> articles;
  for (const ClauseView* clause : clauses) articles.push_back(Article(*clause));
  for (const GroupEndView& end : view.group_ends) articles.push_back(Article(end));
  std::erase(articles, "");
  return articles;
}

}  // namespace zerocts
