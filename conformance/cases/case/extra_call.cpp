#include "conformance/cases/case/extra_call.hpp"

#include <fmt/format.h>

#include "reference/optim/enum_names.hpp"

namespace zerocts {
namespace {

constexpr EnumName<ExtraCallKind> kKindNames[] = {{ExtraCallKind::kRead, "read"},
                                                  {ExtraCallKind::kSave, "save"},
                                                  {ExtraCallKind::kResume, "resume"},
                                                  {ExtraCallKind::kWrongMicroBatch, "wrong micro-batch"},
                                                  {ExtraCallKind::kEarlyStep, "early step"}};

}  // namespace

std::string ToString(ExtraCallKind kind) { return NameOf(kKindNames, kind); }
ExtraCallKind ExtraCallKindFromString(const std::string& name) { return FromName(kKindNames, "kind", name); }

std::string ToString(const ExtraCall& call) {
  return fmt::format("{} in step {} after {} of its micro-batches", ToString(call.kind), call.step, call.micro_batches);
}

}  // namespace zerocts
