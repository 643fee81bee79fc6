#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/whole/undeclared.hpp"
#include "conformance/contract/judging.hpp"

namespace zerocts::undeclared_refused {

const Clause kClause{
    .id = "C-ZERO-110",
    .name = "undeclared is refused",
    .sentence =
        "What a subject does not declare it refuses on every rank, with UNIMPLEMENTED or INVALID_ARGUMENT and a "
        "sentence. It does not run, crash or hang, and puts nothing else in its place.",
    .fidelity = Fidelity::kBitwise,
    .how =
        "A case that the subject declares is changed in one thing that it does not declare, in every way that the "
        "dimensions of cases know: another stage, dtype, optimizer, plan, order, mesh, norm, offload and so on; an "
        "option or a value of one that nobody declares; a code that the header does not define, such as stage 4; "
        "heads, heads of keys and values, or slices of a sum that the tensor ranks do not divide; a gradient or a "
        "micro-batch too few or too many, a gradient of what is frozen, or a save within a step. Each is given to the "
        "ranks as it is, and every rank must refuse it. Functions of the table that are NULL refuse.",
    .bugs = {{"zero.Init fell back to one rank without a word: nothing was partitioned.",
              "https://github.com/deepspeedai/DeepSpeed/pull/8089"},
             {"Gemini took gradient accumulation, which it cannot do: the logits were zero after one step.",
              "https://github.com/hpcaitech/ColossalAI/issues/2496"},
             {"The kind of the clip norm was taken and another norm computed.",
              "https://github.com/hpcaitech/ColossalAI/pull/4795"},
             {"The heads were divided by the tensor ranks and rounded down, without a word before the first request.",
              "https://github.com/vipshop/cache-dit/pull/581"}},
    .essential = {{"undeclared"}},
    .features = {"undeclared"},
    .revision = 7,
};

CaseSpace Space() {
  CaseSpace space;
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW, OptimizerKind::kAdam, OptimizerKind::kLamb,
                      OptimizerKind::kMuon};
  space.max_steps = 2;
  space.max_groups = 1;
  space.vary = {"undeclared"};
  return space;
}

/// Nobody could say it to a subject of an older version, which is not its doing.
bool IsRefusal(const RunResult& result) {
  return result.ending == Ending::kRefused || result.ending == Ending::kUnsupported;
}

bool IsClear(const RankReport& rank) {
  return rank.status == ZEROCTS_OK || rank.status == ZEROCTS_UNIMPLEMENTED || rank.status == ZEROCTS_INVALID_ARGUMENT;
}

/// One after the other, in lines that a summary shows whole.
std::string InLines(const std::vector<std::string>& texts) {
  constexpr size_t kLine = 350;
  std::string lines;
  size_t begin = 0;
  for (const std::string& text : texts) {
    const bool breaks = lines.size() + text.size() - begin > kLine;
    if (!lines.empty()) lines += breaks ? ";\n" : "; ";
    if (breaks) begin = lines.size();
    lines += text;
  }
  return lines;
}

/// "stage 0 (declared: 1)" and "stage 2 (declared: 1)" become "stage 0, 2 (declared: 1)".
std::string Listed(const std::vector<std::string>& answers) {
  std::vector<std::array<std::string, 3>> lists;  // what, its values, what is declared
  for (const std::string& answer : answers) {
    const size_t declared = std::min(answer.rfind(" ("), answer.size()), value = answer.rfind(' ', declared - 1) + 1;
    const std::string before = answer.substr(0, value), after = answer.substr(declared);
    const auto same = std::ranges::find_if(
        lists, [&](const auto& list) { return !after.empty() && list[0] == before && list[2] == after; });
    const std::string one = answer.substr(value, declared - value);
    if (same == lists.end()) {
      lists.push_back({before, one, after});
    } else {
      (*same)[1] += ", " + one;
    }
  }
  std::vector<std::string> texts;
  for (const auto& [before, values, after] : lists)
    texts.push_back(before + values + (after.ends_with("declared)") ? "" : after));
  return InLines(texts);
}

/// Where a subject refuses what `asked` asks for, in C and in Python.
std::string CureOf(const Case& asked) {
  const Experiment& e = asked.experiment;
  if (IsAfterOpen(asked.invalid_request) || !e.roles.without_gradient.empty() || e.curvature != 0)
    return "in accumulate and step zerocts_refuse_accumulate(..) and zerocts_refuse_step(..), Python Calls(case)";
  if (!e.changes.empty()) return "in set_group zerocts_refuse_set_group(..), Python refuse_undeclared(..)";
  if (!asked.extra_calls.empty()) return "in save zerocts_refuse_save(..), Python refuse_undeclared(..)";
  if (asked.checkpoint || !e.roles.frozen.empty())
    return "NULL in the table for set_frozen, save and load, Python refuse_undeclared(..)";
  return "first in open zerocts_refuse_undeclared(..) of zerocts_refuse.h, Python refuse_undeclared(..)";
}

/// What ranks did with what they were asked for, where they did not refuse it clearly.
class WrongAnswers {
 public:
  void Probe(Trial& trial, const UndeclaredCase& asked) {
    try {
      trial.Run(asked.c);
      has_answered_ = true;
      Add(taken_, asked.what, asked.c);
    } catch (const RunEnded& ended) {
      AddEnded(ended.result, asked);
    }
  }

  /// Ranks that hang, or whose messages make no sense, are asked for nothing else, nor a subject that died of much.
  bool IsEnough() const {
    constexpr size_t kMostDeaths = 8;  // each costs a group of ranks
    return deaths_.size() == kMostDeaths || HasLost();
  }

  /// Throws RunEnded where ranks hung, sent garbage, or died of whatever they were asked for.
  std::optional<Finding> Judged(Trial& trial) {
    if (cures_.empty()) return std::nullopt;
    std::vector<std::string> lines;
    if (!taken_.empty()) lines.push_back("took without a word what it does not declare: " + Listed(taken_));
    if (!deaths_.empty()) lines.push_back(fmt::format("asked for {}", fmt::join(deaths_, "; asked for ")));
    if (!unclear_.empty())
      lines.push_back(fmt::format("expected UNIMPLEMENTED or INVALID_ARGUMENT for {}", fmt::join(unclear_, "; ")));
    lines.push_back(fmt::format("Cure: {}", fmt::join(cures_, "; ")));
    const std::string sentence = fmt::format("{}", fmt::join(lines, "\n"));
    if (HasLost() || !has_answered_) {
      last_.message = sentence;
      throw RunEnded(std::move(last_));
    }
    if (!deaths_.empty()) trial.Show(last_.reports);
    return Finding{sentence, std::nullopt, taken_.size() + deaths_.size() + unclear_.size()};
  }

 private:
  bool HasLost() const { return last_.ending == Ending::kHang || last_.ending == Ending::kGarbage; }

  void AddEnded(const RunResult& result, const UndeclaredCase& asked) {
    if (!IsRefusal(result)) {
      const std::string what = asked.what + ": ";
      const bool again =
          std::ranges::any_of(deaths_, [&](const std::string& death) { return death.starts_with(what); });
      if (!again) Add(deaths_, what + result.message, asked.c);
      last_ = result;
      return;
    }
    has_answered_ = true;
    const auto rank = std::ranges::find_if_not(result.reports, IsClear);
    if (rank != result.reports.end())
      Add(unclear_, fmt::format("{}: rank {} {}", asked.what, rank->rank, rank->state), asked.c);
  }

  /// Two probes may be for the same thing.
  void Add(std::vector<std::string>& answers, const std::string& answer, const Case& asked) {
    if (std::ranges::count(answers, answer) == 0) answers.push_back(answer);
    if (std::ranges::count(cures_, CureOf(asked)) == 0) cures_.push_back(CureOf(asked));
  }

  std::vector<std::string> taken_;    // "stage 3 (declared: 0, 1)"
  std::vector<std::string> deaths_;   // "stage 3 (declared: 0, 1): rank 0 was killed by signal 11"
  std::vector<std::string> unclear_;  // "overlap (not declared): rank 0 refused open: INTERNAL: .."
  std::vector<std::string> cures_;
  RunResult last_;             // of deaths_
  bool has_answered_ = false;  // to one thing at least
};

std::vector<UndeclaredCase> AskedBy(const Case& c, const Capabilities& can) {
  const std::string what = BeyondDeclaration(c, can);
  return what.empty() ? UndeclaredOf(c, can) : std::vector<UndeclaredCase>{{what, c}};
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  WrongAnswers wrong;
  for (const UndeclaredCase& asked : AskedBy(c, trial.can())) {
    if (!wrong.IsEnough()) wrong.Probe(trial, asked);
  }
  return wrong.Judged(trial);
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::undeclared_refused
