// The matrix as a page: no script, no font, no picture, nothing that is not in the file.
#include <fmt/format.h>

#include "conformance/report/mark.hpp"
#include "conformance/report/matrix.hpp"
#include "conformance/report/text.hpp"

namespace zerocts {
namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; }
body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem; max-width: 90rem; }
table { border-collapse: collapse; margin: 1.5rem 0; }
th, td { border: 1px solid #8884; padding: .25rem .6rem; text-align: left; vertical-align: top; }
thead th { position: sticky; top: 0; background: Canvas; }
td.mark { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td.mark b { float: left; margin-right: .8rem; }
.pass { background: #2a82; }
.known { background: #ca02; }
.bad { background: #d333; }
.none { color: GrayText; }
small { color: GrayText; }
)";

/// Four kinds are enough for colours; the mark says the rest.
const char* ClassOf(Result result) {
  if (result == Result::kPass) return "pass";
  if (result == Result::kUnsupported) return "none";
  return result == Result::kExpected || result == Result::kTooFew ? "known" : "bad";
}

std::string Heading(const MatrixSubject& subject) {
  return fmt::format("<th scope=\"col\">{}<br/><small>{}</small></th>", XmlText(subject.name),
                     XmlText(subject.version));
}

std::string Cell(const std::optional<MatrixCell>& cell) {
  if (!cell) return "<td></td>";
  const std::string remarks = fmt::format("{}", fmt::join(cell->remarks, "\n"));
  const std::string count = cell->result == Result::kUnsupported ? "" : fmt::format("{}", cell->cases);
  return fmt::format("<td class=\"mark {}\" title=\"{}\"><b>{}</b>{}</td>", ClassOf(cell->result),
                     XmlAttribute(remarks), MarkOf(cell->result).word, count);
}

std::string Row(const MatrixRow& row) {
  std::string out = fmt::format("<tr><th scope=\"row\" title=\"{}\">{}<br/><small>{}</small></th>",
                                XmlAttribute(row.sentence), row.id, XmlText(row.name));
  for (const auto& cell : row.cells) out += Cell(cell);
  return out + "</tr>\n";
}

std::string Subjects(const ClauseMatrix& matrix) {
  std::string out =
      "<table>\n<thead><tr><th>subject</th><th>version</th><th>verdict</th><th>cases</th><th>run</th></tr></"
      "thead>\n<tbody>\n";
  for (const MatrixSubject& subject : matrix.subjects) {
    out += fmt::format(
        "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"{}\">{}</td><td class=\"mark\">{}</td><td>{}</td></tr>\n",
        XmlText(subject.name), XmlText(subject.version), subject.conformant ? "pass" : "bad", XmlText(subject.verdict),
        subject.cases, XmlText(subject.setting));
  }
  return out + "</tbody>\n</table>\n";
}

std::string Table(const ClauseMatrix& matrix) {
  std::string out = "<table>\n<thead><tr><th>clause</th>";
  for (const MatrixSubject& subject : matrix.subjects) out += Heading(subject);
  out += "</tr></thead>\n<tbody>\n";
  for (const MatrixRow& row : matrix.rows) out += Row(row);
  return out + "</tbody>\n</table>\n";
}

std::string Legend(const ClauseMatrix& matrix) {
  std::string out;
  for (const Result result : kAllResults) {
    if (matrix.Has(result))
      out += fmt::format("<tr><td class=\"{}\"><b>{}</b></td><td>{}</td></tr>\n", ClassOf(result), MarkOf(result).word,
                         MarkOf(result).meaning);
  }
  return "<table>\n" + out + "</table>\n";
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
    if (!lines.empty())
      out += fmt::format("<h2>{}</h2>\n<table>\n{}</table>\n", XmlText(matrix.subjects[i].name), lines);
  }
  return out;
}

}  // namespace

std::string MatrixHtml(const ClauseMatrix& matrix) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
      "content=\"width=device-width\"/>\n"
      "<title>zerocts: clauses and subjects</title>\n<style>{}</style>\n</head>\n<body>\n<h1>Clauses and "
      "subjects</h1>\n"
      "<p>A cell has a mark and the number of cases; the pointer on it shows why.</p>\n{}{}{}{}</body>\n</html>\n",
      kStyle, Subjects(matrix), Table(matrix), Legend(matrix), Remarks(matrix));
}

}  // namespace zerocts
