#include "conformance/cli/plan/plan_sound.hpp"

#include <fmt/format.h>

#include "conformance/host/system/errors.hpp"
#include "reference/plan/judge/judge.hpp"

namespace zerocts {

void RequireSound(const plan::Plan& plan, const std::string& name) {
  const plan::Verdict verdict = plan::Judge(plan);
  if (verdict.sound()) return;
  throw UsageError(fmt::format("plan {}: expected a sound one, got {}; see zerocts plan verify", name,
                               ToString(verdict.firsts.front())));
}

}  // namespace zerocts
