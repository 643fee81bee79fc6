// Several runs side by side: clauses x subjects.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/report/view/run_view.hpp"

namespace zerocts {

/// One clause of one subject.
struct MatrixCell {
  Result result = Result::kNotApplicable;
  int64_t cases = 0;
  std::vector<std::string> remarks;  // why it is not a plain pass: reasons, sentences of failures; each once
};

struct MatrixRow {
  std::string id, name, sentence;
  std::vector<std::optional<MatrixCell>> cells;  // [subjects]; nothing where the run did not have the clause
};

struct MatrixSubject {
  std::string name, version;
  std::string setting;  // of the run
  std::string verdict;  // as the run ended, or why its log proves no verdict
  bool conformant = false;
  int64_t cases = 0;
};

struct ClauseMatrix {
  std::vector<MatrixSubject> subjects;
  std::vector<MatrixRow> rows;  // ascending by id

  bool Has(Result result) const;  // in a cell
};

/// In the order of the runs.
ClauseMatrix MatrixOf(const std::vector<RunView>& runs);

/// For terminals: subjects with their verdicts, then clauses x subjects with marks and counts of cases, then the
/// remarks of what is no plain pass.
std::string MatrixText(const ClauseMatrix& matrix, bool color);

/// One page that needs nothing but itself.
std::string MatrixHtml(const ClauseMatrix& matrix);

}  // namespace zerocts
