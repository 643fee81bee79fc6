// The differences of two runs in words.
#include <fmt/format.h>

#include <algorithm>

#include "conformance/report/terminal/world_size_table.hpp"
#include "conformance/report/view/run_diff.hpp"
#include "conformance/report/words/mark.hpp"
#include "conformance/report/words/text.hpp"

namespace zerocts {
namespace {

std::string WordOf(std::optional<Result> result) {
  if (!result) return "not asked";
  return WordsOf(*result);
}

Result ColorOf(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kNewlyFailing: return Result::kFail;
    case ChangeKind::kLost:
    case ChangeKind::kRevised:
    case ChangeKind::kOther: return Result::kTooFew;
    default: return Result::kPass;
  }
}

/// Configurations of one clause that changed in the same way are one paragraph; its sentence is that of the first.
std::string Paragraph(const std::vector<Change>& changes, size_t begin, size_t end) {
  constexpr size_t kNamed = 4;
  const Change& first = changes[begin];
  std::vector<std::string> where;
  for (size_t i = begin; i < std::min(end, begin + kNamed); ++i) where.push_back(changes[i].part.where);
  const size_t more = end - begin - where.size();
  std::string out = fmt::format("{}{}: {}, now {} under {}{}", first.part.what,
                                first.name.empty() ? "" : " " + first.name, WordOf(first.before), WordOf(first.after),
                                fmt::join(where, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
  out = Wrap(Printable(out), kColumns, 2);
  return first.sentence.empty() ? out : out + Wrap(Printable(first.sentence), kColumns, 4);
}

std::string Paragraphs(const std::vector<Change>& changes) {
  const auto same = [](const Change& a, const Change& b) {
    return a.part.what == b.part.what && a.before == b.before && a.after == b.after;
  };
  std::string out;
  for (size_t begin = 0, end = 0; begin < changes.size(); begin = end) {
    while (end < changes.size() && same(changes[begin], changes[end])) ++end;
    out += Paragraph(changes, begin, end);
  }
  return out;
}

std::string TextOf(const ChangedValues& values) {
  std::string out;
  for (const std::string& value : values.changed) out += Wrap(Printable("declares " + value), kColumns, 0);
  const auto list = [&](const char* what, const std::vector<std::string>& names) {
    if (!names.empty())
      out += Wrap(Printable(fmt::format("declares {}: {}", what, fmt::join(names, ", "))), kColumns, 0);
  };
  list("what it did not", values.added);
  list("no more", values.removed);
  return out;
}

}  // namespace

std::string ToString(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kNewlyFailing: return "newly failing";
    case ChangeKind::kLost: return "lost (asked or seen before, and not now)";
    case ChangeKind::kNewlyPassing: return "newly passing";
    case ChangeKind::kNew: return "new (not asked or not seen before)";
    case ChangeKind::kRevised: return "worse by a clause that asks for more (not the subject's doing)";
    case ChangeKind::kOther: return "still failing, in another way";
  }
  return "changed";
}

std::string TextOf(const Change& change) {
  return fmt::format("{}{}, {}: {}, now {}", change.part.what, change.name.empty() ? "" : " " + change.name,
                     change.part.where, WordOf(change.before), WordOf(change.after));
}

std::string DiffText(const RunDiff& diff, bool color) {
  const Painter paint(color);
  std::string out =
      Wrap(Printable("before: " + diff.before), kColumns, 0) + Wrap(Printable("after:  " + diff.after), kColumns, 0);
  for (const std::string& condition : diff.conditions)
    out += Wrap(Printable("other conditions: " + condition), kColumns, 0);
  for (const std::string& revision : diff.revisions) out += Wrap(Printable(revision), kColumns, 0);
  for (const auto& [kind, changes] : diff.changes) {
    out += fmt::format("\n{}\n{}", paint.As(ColorOf(kind), fmt::format("{}: {}", ToString(kind), changes.size())),
                       Paragraphs(changes));
  }
  if (const std::string declared = TextOf(diff.declared); !declared.empty()) out += "\n" + declared;
  for (const std::string& log : diff.no_verdict)
    out += "\n" + Wrap(paint.As(Result::kHarnessError, Printable("no verdict of the " + log)), kColumns, 0);
  if (!diff.no_verdict.empty()) return out;
  const std::string verdict = diff.worse() ? "worse" : "nothing worse";
  out += fmt::format("\n{}", paint.As(diff.worse() ? Result::kFail : Result::kPass, verdict));
  const auto count = [&](ChangeKind kind) {
    const auto found = diff.changes.find(kind);
    return found == diff.changes.end() ? size_t{0} : found->second.size();
  };
  out += fmt::format(
      ": configurations: {} newly failing, {} lost, {} newly passing, {} new, {} revised, {} still failing, {} still "
      "passing\n",
      count(ChangeKind::kNewlyFailing), count(ChangeKind::kLost), count(ChangeKind::kNewlyPassing),
      count(ChangeKind::kNew), count(ChangeKind::kRevised), diff.still_failing, diff.still_passing);
  return out;
}

}  // namespace zerocts
