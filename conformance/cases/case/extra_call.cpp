#include "conformance/cases/case/extra_call.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reference/optim/enum_names.hpp"

namespace zerocts {
namespace {

constexpr EnumName<ExtraCallKind> kKindNames[] = {{ExtraCallKind::kRead, "read"},
                                                  {ExtraCallKind::kSave, "save"},
                                                  {ExtraCallKind::kResume, "resume"},
                                                  {ExtraCallKind::kReturn, "return"},
                                                  {ExtraCallKind::kWrongMicroBatch, "wrong micro-batch"},
                                                  {ExtraCallKind::kRepeatedMicroBatch, "repeated micro-batch"},
                                                  {ExtraCallKind::kEarlyStep, "early step"}};

}  // namespace

std::string ToString(ExtraCallKind kind) { return NameOf(kKindNames, kind); }
ExtraCallKind ExtraCallKindFromString(const std::string& name) { return FromName(kKindNames, "kind", name); }

std::string ToString(const ExtraCall& call) {
  return fmt::format("{} in step {} after {} of its micro-batches", ToString(call.kind), call.step, call.micro_batches);
}

int WrongNumber(const ExtraCall& call, int micro_batches_of_step) {
  return call.kind == ExtraCallKind::kRepeatedMicroBatch ? call.micro_batches - 1
                                                         : std::min(call.micro_batches + 1, micro_batches_of_step);
}

}  // namespace zerocts
