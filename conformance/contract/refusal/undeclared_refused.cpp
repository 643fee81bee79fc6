#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

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
        "option or a value of one that nobody declares; heads, heads of keys and values, or slices of a sum that the "
        "tensor ranks do not divide; a gradient or a micro-batch too few or too many, or a gradient of what is frozen. "
        "Each is given to the ranks as it is, and every rank must refuse it. Functions of the table that are NULL "
        "refuse.",
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
    .revision = 4,
};

CaseSpace Space() {
  CaseSpace space;
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW, OptimizerKind::kAdam, OptimizerKind::kLamb};
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

/// What ranks did with what they were asked for, where they did not refuse it clearly.
struct WrongAnswers {
  std::vector<std::string> taken;    // "stage 3 (declared: 0, 1)"
  std::vector<std::string> unclear;  // "overlap (not declared): rank 0 refused open: INTERNAL: .."

  /// Throws RunEnded, which then names what was asked for, when they did not get so far.
  void Probe(Trial& trial, const UndeclaredCase& asked) {
    try {
      trial.Run(asked.c);
      Add(taken, asked.what);
    } catch (RunEnded& ended) {
      if (!IsRefusal(ended.result)) {
        ended.result.message = fmt::format("asked for {}: {}", asked.what, ended.result.message);
        throw;
      }
      const std::vector<RankReport>& ranks = ended.result.reports;
      const auto rank = std::ranges::find_if_not(ranks, IsClear);
      if (rank != ranks.end()) Add(unclear, fmt::format("{}: rank {} {}", asked.what, rank->rank, rank->state));
    }
  }

  /// Two probes may be for the same thing.
  static void Add(std::vector<std::string>& answers, const std::string& answer) {
    if (std::ranges::count(answers, answer) == 0) answers.push_back(answer);
  }
};

std::vector<UndeclaredCase> AskedBy(const Case& c, const Capabilities& can) {
  const std::string what = BeyondDeclaration(c, can);
  return what.empty() ? UndeclaredOf(c, can) : std::vector<UndeclaredCase>{{what, c}};
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  WrongAnswers wrong;
  for (const UndeclaredCase& asked : AskedBy(c, trial.can())) wrong.Probe(trial, asked);
  if (wrong.taken.empty() && wrong.unclear.empty()) return std::nullopt;
  std::vector<std::string> lines;
  if (!wrong.taken.empty())
    lines.push_back(fmt::format("took without a word what it does not declare: {}", fmt::join(wrong.taken, "; ")));
  for (const std::string& answer : wrong.unclear)
    lines.push_back(fmt::format("expected UNIMPLEMENTED or INVALID_ARGUMENT for {}", answer));
  return Finding{fmt::format("{}", fmt::join(lines, "\n")), std::nullopt};
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::undeclared_refused
