#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/undeclared.hpp"
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

const Clause kClause{
    .id = "C-ZERO-110",
    .name = "undeclared is refused",
    .sentence =
        "What a subject does not declare it refuses on every rank, with UNIMPLEMENTED or INVALID_ARGUMENT and a "
        "sentence. It does not run, crash or hang, and puts nothing else in its place.",
    .fidelity = Fidelity::kBitwise,
    .how =
        "A case that the subject declares is changed in one thing that it does not declare, in every way that the "
        "dimensions of cases know: another stage, dtype, optimizer, plan, order, mesh, norm, offload and so on. Each "
        "is given to the ranks as it is, and every rank must refuse it. Functions of the table that are NULL refuse.",
    .bugs = {{"zero.Init fell back to one rank without a word: nothing was partitioned.",
              "https://github.com/deepspeedai/DeepSpeed/pull/8089"},
             {"Gemini took gradient accumulation, which it cannot do: the logits were zero after one step.",
              "https://github.com/hpcaitech/ColossalAI/issues/2496"},
             {"The kind of the clip norm was taken and another norm computed.",
              "https://github.com/hpcaitech/ColossalAI/pull/4795"}},
    .essential = {{"undeclared"}},
    .features = {"undeclared"},
    .needs = {"options that nobody declares", "a wrong number of gradients or micro-batches"},
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

/// "" or what the ranks did with it. Throws RunEnded, which then names it, when they did not get so far.
std::string WrongAnswer(Trial& trial, const UndeclaredCase& asked) {
  try {
    trial.Run(asked.c);
  } catch (RunEnded& ended) {
    if (!IsRefusal(ended.result)) {
      ended.result.message = fmt::format("asked for {}: {}", asked.what, ended.result.message);
      throw;
    }
    const auto unclear = std::ranges::find_if_not(ended.result.reports, IsClear);
    if (unclear == ended.result.reports.end()) return "";
    return fmt::format("{}, for which rank {} {}", asked.what, unclear->rank, unclear->state);
  }
  return asked.what;
}

std::vector<UndeclaredCase> AskedBy(const Case& c, const Capabilities& can) {
  const std::string what = BeyondDeclaration(c, can);
  return what.empty() ? UndeclaredOf(c, can) : std::vector<UndeclaredCase>{{what, c}};
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  std::vector<std::string> wrong;
  for (const UndeclaredCase& asked : AskedBy(c, trial.can())) {
    const std::string answer = WrongAnswer(trial, asked);
    if (!answer.empty() && std::ranges::count(wrong, answer) == 0) wrong.push_back(answer);
  }
  if (wrong.empty()) return std::nullopt;
  return Finding{fmt::format("was asked for what it does not declare, and did not refuse with UNIMPLEMENTED or "
                             "INVALID_ARGUMENT: {}",
                             fmt::join(wrong, "; ")),
                 std::nullopt};
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace
}  // namespace zerocts
