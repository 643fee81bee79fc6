#include "conformance/cases/case/arrangement.hpp"

#include "reference/optim/enum_names.hpp"

namespace zerocts {
namespace {

constexpr EnumName<GradientSync> kSyncNames[] = {{GradientSync::kLastMicroBatch, "last_micro_batch"},
                                                 {GradientSync::kEveryMicroBatch, "every_micro_batch"}};

constexpr EnumName<Offload> kOffloadNames[] = {
    {Offload::kNone, "none"}, {Offload::kParams, "params"}, {Offload::kFull, "full"}};

constexpr EnumName<Overlap> kOverlapNames[] = {{Overlap::kAny, "any"}, {Overlap::kOff, "off"}, {Overlap::kOn, "on"}};

}  // namespace

std::string ToString(GradientSync sync) { return NameOf(kSyncNames, sync); }
GradientSync GradientSyncFromString(const std::string& name) { return FromName(kSyncNames, "gradient_sync", name); }

std::string ToString(Offload offload) { return NameOf(kOffloadNames, offload); }
Offload OffloadFromString(const std::string& name) { return FromName(kOffloadNames, "offload", name); }

std::string ToString(Overlap overlap) { return NameOf(kOverlapNames, overlap); }
Overlap OverlapFromString(const std::string& name) { return FromName(kOverlapNames, "overlap", name); }

}  // namespace zerocts
