#include "conformance/report/terminal/world_size_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "conformance/report/view/families.hpp"
#include "conformance/report/words/text.hpp"

namespace zerocts {
namespace {

constexpr int kCellWidth = 6;

/// The columns of world sizes, and which marks they had to show.
class SizeColumns {
 public:
  SizeColumns(const RunView& view, const Painter& paint) : paint_(paint), world_sizes_(WorldSizesOf(view)) {}

  int width() const { return kCellWidth * static_cast<int>(world_sizes_.size()); }

  std::string Head() const {
    std::string out;
    for (const int world_size : world_sizes_) out += fmt::format("{:>{}}", fmt::format("W={}", world_size), kCellWidth);
    return out;
  }

  /// Blank where nothing ran.
  std::string Row(const std::map<int, Result>& cells) {
    std::string out;
    for (const int world_size : world_sizes_) {
      const auto cell = cells.find(world_size);
      if (cell == cells.end()) {
        out += std::string(kCellWidth, ' ');
        continue;
      }
      shown_.insert(cell->second);
      out += paint_.As(cell->second, fmt::format("{:>{}}", MarkOf(cell->second).word, kCellWidth));
    }
    return out;
  }

  std::string Legend() const {
    std::string out;
    for (const Result result : shown_) {
      if (result != Result::kPass) out += fmt::format("  {:>5}  {}\n", MarkOf(result).word, MarkOf(result).meaning);
    }
    return out.empty() ? out : fmt::format("\n{}", out);
  }

 private:
  const Painter& paint_;
  std::set<int> world_sizes_;
  std::set<Result> shown_;
};

/// Columns behind the first ones, for a result.
size_t Left(int columns) { return static_cast<size_t>(std::max(12, kColumns - columns)); }

/// With what else its configurations came to that is bad: "fail, refused".
std::string ResultOf(const ClauseView& clause, const Painter& paint, size_t width) {
  if (!clause.ended) return paint.As(Result::kHarnessError, "cut off");
  if (clause.result == Result::kLeftOut) return paint.As(clause.result, clause.LeftOutBy());
  std::string text = WordsOf(clause.result);
  std::set<Result, std::greater<>> others;
  for (const ConfigurationView& configuration : clause.configurations) {
    if (configuration.result > Result::kExpected && configuration.result != clause.result)
      others.insert(configuration.result);
  }
  for (const Result result : others) text += ", " + WordsOf(result);
  return paint.As(clause.result, Clipped(text, width));
}

/// "fail" of a family that passed but for some clauses, as "fail in 2, refused in 1 of 7", the worst first.
std::string ResultOf(const FamilyView& family, const Painter& paint, size_t width) {
  std::map<Result, int, std::greater<>> bad;
  for (const ClauseView* clause : family.clauses) {
    if (clause->result > Result::kPass || !clause->ended) ++bad[clause->result];
  }
  if (bad.empty()) return paint.As(family.result, WordsOf(family.result));
  std::vector<std::string> parts;
  for (const auto& [result, clauses] : bad) parts.push_back(fmt::format("{} in {}", WordsOf(result), clauses));
  const std::string text = fmt::format("{} of {}", fmt::join(parts, ", "), family.clauses.size());
  return paint.As(family.result, Clipped(text, width));
}

/// "7" clauses, or "5 of 7" where two were not applicable.
std::string JudgedOf(int64_t judged, int64_t all) {
  return judged == all ? std::to_string(all) : fmt::format("{} of {}", judged, all);
}

}  // namespace

std::string ClauseTable(const RunView& view, const Painter& paint) {
  SizeColumns cells(view, paint);
  const int name_width = std::max(12, std::min(44, kColumns - 46 - cells.width()));
  const size_t width = Left(30 + name_width + cells.width());
  std::string out =
      fmt::format("{:<10}  {:<{}}{}{:>8}{:>8}  result\n", "clause", "", name_width, cells.Head(), "cases", "asked");
  for (const ClauseView& clause : view.clauses) {
    const std::optional<int64_t> asked = clause.asked_cases();
    out += fmt::format("{:<10}  {:<{}}{}{:>8}{:>8}  {}\n", clause.id,
                       Clipped(clause.name, static_cast<size_t>(name_width)), name_width, cells.Row(CellsOf(clause)),
                       clause.cases(), asked ? std::to_string(*asked) : "", ResultOf(clause, paint, width));
  }
  return out + "\n  asked: cases with everything that the clause tests\n" + cells.Legend();
}

std::string FamilyTable(const RunView& view, const Painter& paint) {
  constexpr int kNameWidth = 16;
  SizeColumns cells(view, paint);
  const auto row = [&](const std::string& name, const std::string& marks, const std::string& clauses,
                       const std::string& cases, const std::string& result) {
    return fmt::format("{:<{}}{}{:>10}{:>8}  {}\n", Clipped(name, kNameWidth), kNameWidth, marks, clauses, cases,
                       result);
  };
  const size_t width = Left(kNameWidth + cells.width() + 20);
  std::string out = row("family", cells.Head(), "clauses", "cases", "result");
  for (const FamilyView& family : FamiliesOf(view)) {
    out += row(family.name, cells.Row(family.cells), JudgedOf(family.judged(), std::ssize(family.clauses)),
               std::to_string(family.cases()), ResultOf(family, paint, width));
  }
  return out + cells.Legend();
}

}  // namespace zerocts
