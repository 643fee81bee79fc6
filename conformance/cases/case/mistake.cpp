#include "conformance/cases/case/mistake.hpp"

#include "reference/optim/enum_names.hpp"

namespace zerocts {
namespace {

constexpr EnumName<Mistake> kMistakeNames[] = {{Mistake::kNone, "none"},
                                               {Mistake::kOption, "option"},
                                               {Mistake::kFewerGradients, "fewer gradients"},
                                               {Mistake::kMoreGradients, "more gradients"},
                                               {Mistake::kGradientOfFrozen, "gradient of frozen"},
                                               {Mistake::kFewerMicroBatches, "fewer micro-batches"},
                                               {Mistake::kMoreMicroBatches, "more micro-batches"}};

}  // namespace

std::string ToString(Mistake mistake) { return NameOf(kMistakeNames, mistake); }
Mistake MistakeFromString(const std::string& name) { return FromName(kMistakeNames, "mistake", name); }

}  // namespace zerocts
