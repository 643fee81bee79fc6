// The matrix of several runs as a page.
#include <fmt/format.h>

#include "conformance/report/html/html.hpp"
#include "conformance/report/view/matrix.hpp"
#include "conformance/report/words/mark.hpp"
#include "conformance/report/words/text.hpp"

namespace zerocts {
namespace {

std::string Heading(const MatrixSubject& subject) {
  return fmt::format("<th scope=\"col\">{}<br/><small>{}</small></th>", XmlText(subject.name),
                     XmlText(subject.version));
}

std::string Cell(const std::optional<MatrixCell>& cell) {
  if (!cell) return "<td></td>";
  const std::string remarks = fmt::format("{}", fmt::join(cell->remarks, "\n"));
  const std::string count = !IsAsked(cell->result) ? "" : fmt::format(" {}", cell->cases);
  return fmt::format("<td class=\"cell\" title=\"{}\">{}{}</td>", XmlAttribute(remarks), HtmlMark(cell->result), count);
}

std::string Row(const MatrixRow& row) {
  std::string out = fmt::format("<tr><th scope=\"row\" title=\"{}\">{}<br/><small>{}</small></th>",
                                XmlAttribute(row.sentence), row.id, XmlText(row.name));
  for (const auto& cell : row.cells) out += Cell(cell);
  return out + "</tr>\n";
}

std::string Subjects(const ClauseMatrix& matrix) {
  std::string rows =
      "<thead><tr><th scope=\"col\">subject</th><th scope=\"col\">version</th><th scope=\"col\">verdict</th>"
      "<th scope=\"col\">cases</th><th scope=\"col\">run</th></tr></thead>\n<tbody>\n";
  for (const MatrixSubject& subject : matrix.subjects) {
    rows += fmt::format(
        "<tr><th scope=\"row\">{}</th><td>{}</td><td><span class=\"mark {}\">{}</span></td><td class=\"number\">{}</td>"
        "<td>{}</td></tr>\n",
        XmlText(subject.name), XmlText(subject.version), subject.conformant ? "pass" : "bad", XmlText(subject.verdict),
        subject.cases, XmlText(subject.setting));
  }
  return HtmlTable("Subjects and verdicts", rows + "</tbody>\n");
}

std::string Table(const ClauseMatrix& matrix) {
  std::string rows = "<thead><tr><th scope=\"col\">clause</th>";
  for (const MatrixSubject& subject : matrix.subjects) rows += Heading(subject);
  rows += "</tr></thead>\n<tbody>\n";
  for (const MatrixRow& row : matrix.rows) rows += Row(row);
  return HtmlTable("Clauses and subjects", rows + "</tbody>\n");
}

std::string Legend(const ClauseMatrix& matrix) {
  std::string rows;
  for (const Result result : kAllResults) {
    if (matrix.Has(result))
      rows += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", HtmlMark(result), MarkOf(result).meaning);
  }
  return "<h2>Legend</h2>\n" + HtmlTable("Legend", "<tbody>" + rows + "</tbody>");
}

/// What a pointer shows of a cell, for those who print the page.
std::string Remarks(const ClauseMatrix& matrix) {
  std::string out;
  for (size_t i = 0; i < matrix.subjects.size(); ++i) {
    std::string lines;
    for (const MatrixRow& row : matrix.rows) {
      if (!row.cells[i]) continue;
      for (const std::string& remark : row.cells[i]->remarks)
        lines += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", row.id, XmlText(remark));
    }
    if (lines.empty()) continue;
    const std::string& name = matrix.subjects[i].name;
    out +=
        fmt::format("<h2>{}</h2>\n{}", XmlText(name), HtmlTable("Remarks on " + name, "<tbody>" + lines + "</tbody>"));
  }
  return out;
}

}  // namespace

std::string MatrixHtml(const ClauseMatrix& matrix) {
  return HtmlPage("zerocts: clauses and subjects",
                  "<h1>Clauses and subjects</h1>\n"
                  "<p>A cell has a mark and the number of cases; the pointer on it shows why.</p>\n" +
                      Subjects(matrix) + Table(matrix) + Legend(matrix) + Remarks(matrix));
}

}  // namespace zerocts
