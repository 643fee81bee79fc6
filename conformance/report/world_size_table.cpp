#include "conformance/report/world_size_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "conformance/report/families.hpp"
#include "conformance/report/text.hpp"

namespace zerocts {
namespace {

constexpr int kCellWidth = 6;

/// The columns of world sizes, and which marks they had to show.
class Cells {
 public:
  Cells(const RunView& view, const Painter& paint) : paint_(paint), world_sizes_(WorldSizesOf(view)) {}

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

std::string ResultOf(const ClauseView& clause, const Painter& paint) {
  return clause.ended ? paint.As(clause.result, ToString(clause.result)) : paint.As(Result::kHarnessError, "cut off");
}

/// "fail" of a family that passed but for a clause, as "fail in 1 of 7".
std::string ResultOf(const FamilyView& family, const Painter& paint) {
  const auto bad =
      std::ranges::count_if(family.clauses, [](const ClauseView* c) { return c->result > Result::kPass || !c->ended; });
  const std::string word = ToString(family.result);
  return paint.As(family.result, bad == 0 ? word : fmt::format("{} in {} of {}", word, bad, family.clauses.size()));
}

/// "7" clauses, or "5 of 7" where two were not applicable.
std::string JudgedOf(int64_t judged, int64_t all) {
  return judged == all ? std::to_string(all) : fmt::format("{} of {}", judged, all);
}

}  // namespace

std::string ClauseTable(const RunView& view, const Painter& paint) {
  Cells cells(view, paint);
  const int name_width = std::max(12, std::min(44, kColumns - 34 - cells.width()));
  std::string out = fmt::format("{:<10}  {:<{}}{}{:>8}  result\n", "clause", "", name_width, cells.Head(), "cases");
  for (const ClauseView& clause : view.clauses) {
    out += fmt::format("{:<10}  {:<{}}{}{:>8}  {}\n", clause.id, Clipped(clause.name, static_cast<size_t>(name_width)),
                       name_width, cells.Row(CellsOf(clause)), clause.cases(), ResultOf(clause, paint));
  }
  return out + cells.Legend();
}

std::string FamilyTable(const RunView& view, const Painter& paint) {
  constexpr int kNameWidth = 16;
  Cells cells(view, paint);
  const auto row = [&](const std::string& name, const std::string& marks, const std::string& clauses,
                       const std::string& cases, const std::string& result) {
    return fmt::format("{:<{}}{}{:>10}{:>8}  {}\n", Clipped(name, kNameWidth), kNameWidth, marks, clauses, cases,
                       result);
  };
  std::string out = row("family", cells.Head(), "clauses", "cases", "result");
  for (const FamilyView& family : FamiliesOf(view)) {
    out += row(family.name, cells.Row(family.cells), JudgedOf(family.judged(), std::ssize(family.clauses)),
               std::to_string(family.cases()), ResultOf(family, paint));
  }
  return out + cells.Legend();
}

}  // namespace zerocts
