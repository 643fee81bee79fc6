#include "conformance/cases/case/checkpoint.hpp"

#include <string_view>

#include "reference/optim/enum_names.hpp"

namespace zerocts {
namespace {

constexpr EnumName<CheckpointUse> kUseNames[] = {{CheckpointUse::kResume, "resume"},
                                                 {CheckpointUse::kSaveOnly, "save_only"},
                                                 {CheckpointUse::kReshard, "reshard"},
                                                 {CheckpointUse::kLoad, "load"}};
constexpr EnumName<Damage> kDamageNames[] = {{Damage::kMissing, "missing"}, {Damage::kCut, "cut"}};
constexpr std::string_view kSuffix = "_after_resume";

}  // namespace

std::string ToString(CheckpointUse use) { return NameOf(kUseNames, use); }
CheckpointUse CheckpointUseFromString(const std::string& name) { return FromName(kUseNames, "how", name); }

std::string ToString(Damage damage) { return NameOf(kDamageNames, damage); }
Damage DamageFromString(const std::string& name) { return FromName(kDamageNames, "what", name); }

std::string AfterResume(const std::string& what) { return what + std::string(kSuffix); }
bool IsAfterResume(const std::string& what) { return what.ends_with(kSuffix); }
std::string WithoutResume(const std::string& what) {
  return IsAfterResume(what) ? what.substr(0, what.size() - kSuffix.size()) : what;
}

}  // namespace zerocts
