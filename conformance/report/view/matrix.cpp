#include "conformance/report/view/matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace zerocts {
namespace {

using nlohmann::json;

void AddOnce(std::vector<std::string>& texts, const std::string& text) {
  if (!text.empty() && std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
}

/// Failures first, then why configurations are not there.
std::vector<std::string> RemarksOn(const ClauseView& clause) {
  std::vector<std::string> remarks;
  if (!clause.ConfigurationsExplainResult()) AddOnce(remarks, clause.Complaint());
  for (const ConfigurationView& configuration : clause.configurations) {
    for (const json& failure : configuration.failures) AddOnce(remarks, failure.value("sentence", ""));
    for (const json& failure : configuration.expected)
      AddOnce(remarks, "known failure: " + failure.value("sentence", ""));
  }
  for (const ConfigurationView& configuration : clause.configurations) {
    if (configuration.failures.empty()) AddOnce(remarks, configuration.reason);
  }
  return remarks;
}

MatrixSubject SubjectOf(const RunView& view) {
  const json subject = view.run.is_null() ? json::object() : view.run.value("subject", json::object());
  const std::string objection = view.Objection();
  return {.name = subject.value("name", "unnamed subject"),
          .version = subject.value("version", ""),
          .setting = view.setting(),
          .verdict = objection.empty() ? view.verdict.text : "no verdict: " + objection,
          .conformant = view.conformant(),
          .cases = view.cases()};
}

}  // namespace

bool ClauseMatrix::Has(Result result) const {
  return std::ranges::any_of(rows, [&](const MatrixRow& row) {
    return std::ranges::any_of(row.cells, [&](const auto& cell) { return cell && cell->result == result; });
  });
}

ClauseMatrix MatrixOf(const std::vector<RunView>& runs) {
  ClauseMatrix matrix;
  std::map<std::string, MatrixRow> rows;
  for (size_t subject = 0; subject < runs.size(); ++subject) {
    matrix.subjects.push_back(SubjectOf(runs[subject]));
    for (const ClauseView& clause : runs[subject].clauses) {
      MatrixRow& row = rows[clause.id];
      if (row.name.empty())
        row = {.id = clause.id, .name = clause.name, .sentence = clause.sentence, .cells = std::move(row.cells)};
      row.cells.resize(runs.size());
      row.cells[subject] = MatrixCell{clause.result, clause.cases(), RemarksOn(clause)};
    }
  }
  for (auto& [id, row] : rows) {
    row.id = id;
    matrix.rows.push_back(std::move(row));
  }
  return matrix;
}

}  // namespace zerocts
