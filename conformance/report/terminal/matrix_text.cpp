// The matrix on a terminal. Subjects have numbers, whose table stands first; those that do not fit beside each other
// follow below.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "conformance/cases/case/counted.hpp"
#include "conformance/report/view/matrix.hpp"
#include "conformance/report/words/mark.hpp"
#include "conformance/report/words/text.hpp"

namespace zerocts {
namespace {

constexpr int kIdWidth = 12, kNameWidth = 28;
constexpr int kMarkWidth = 6, kCountWidth = 6;
constexpr size_t kSubjectsPerBlock = (kColumns - kIdWidth - kNameWidth) / (kMarkWidth + kCountWidth);

class Writer {
 public:
  Writer(const ClauseMatrix& matrix, bool color) : matrix_(matrix), paint_(color) {}

  std::string Text() const {
    std::string out = Subjects();
    for (size_t first = 0; first < matrix_.subjects.size(); first += kSubjectsPerBlock) {
      out += Block(first, std::min(first + kSubjectsPerBlock, matrix_.subjects.size()));
    }
    return out + Legend() + Remarks();
  }

 private:
  std::string Subjects() const {
    std::string out;
    for (size_t i = 0; i < matrix_.subjects.size(); ++i) {
      const MatrixSubject& subject = matrix_.subjects[i];
      const std::string verdict =
          paint_.As(subject.conformant ? Result::kPass : Result::kFail, Printable(subject.verdict));
      out +=
          fmt::format("{:>3}  {} {}: {}\n     {}; {}\n", i + 1, paint_.Bold(Printable(subject.name)),
                      Printable(subject.version), verdict, Counted(subject.cases, "case"), Printable(subject.setting));
    }
    return out;
  }

  std::string Block(size_t first, size_t end) const {
    std::string out = fmt::format("\n{:<{}}{:<{}}", "clause", kIdWidth, "", kNameWidth);
    for (size_t i = first; i < end; ++i) out += fmt::format("{:>{}}{:>{}}", i + 1, kMarkWidth, "cases", kCountWidth);
    out += '\n';
    for (const MatrixRow& row : matrix_.rows) {
      out += fmt::format("{:<{}}{:<{}}", row.id, kIdWidth, Clipped(Printable(row.name), kNameWidth - 1), kNameWidth);
      for (size_t i = first; i < end; ++i) out += Cell(row.cells[i]);
      out += '\n';
    }
    return out;
  }

  std::string Cell(const std::optional<MatrixCell>& cell) const {
    if (!cell) return std::string(kMarkWidth + kCountWidth, ' ');
    const std::string count = !IsAsked(cell->result) ? "" : fmt::format("{}", cell->cases);
    return paint_.As(cell->result, fmt::format("{:>{}}", MarkOf(cell->result).word, kMarkWidth)) +
           fmt::format("{:>{}}", count, kCountWidth);
  }

  std::string Legend() const {
    std::string out;
    for (const Result result : kAllResults) {
      if (result != Result::kPass && matrix_.Has(result))
        out += fmt::format("  {:>5}  {}\n", MarkOf(result).word, MarkOf(result).meaning);
    }
    return out.empty() ? out : fmt::format("\n{}", out);
  }

  /// The remarks on what is no pass; each remark once for a subject, with its clauses.
  std::string Remarks() const {
    std::string out;
    for (size_t i = 0; i < matrix_.subjects.size(); ++i) {
      std::map<std::string, std::vector<std::string>> clauses;  // by remark
      for (const MatrixRow& row : matrix_.rows) {
        if (!row.cells[i] || row.cells[i]->result == Result::kPass) continue;
        for (const std::string& remark : row.cells[i]->remarks) clauses[remark].push_back(row.id);
      }
      if (!clauses.empty()) out += fmt::format("\n{} {}\n", i + 1, Printable(matrix_.subjects[i].name));
      for (const auto& [remark, where] : clauses)
        out += Wrap(Printable(fmt::format("{} ({})", remark, fmt::join(where, ", "))), kColumns, 2);
    }
    return out;
  }

  const ClauseMatrix& matrix_;
  const Painter paint_;
};

}  // namespace

std::string MatrixText(const ClauseMatrix& matrix, bool color) { return Writer(matrix, color).Text(); }

}  // namespace zerocts
