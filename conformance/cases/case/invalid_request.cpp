#include "conformance/cases/case/invalid_request.hpp"

#include "reference/optim/enum_names.hpp"

namespace zerocts {
namespace {

constexpr EnumName<InvalidRequest> kInvalidRequestNames[] = {
    {InvalidRequest::kNone, "none"},
    {InvalidRequest::kOption, "option"},
    {InvalidRequest::kCode, "code"},
    {InvalidRequest::kFewerGradients, "fewer gradients"},
    {InvalidRequest::kMoreGradients, "more gradients"},
    {InvalidRequest::kGradientOfFrozen, "gradient of frozen"},
    {InvalidRequest::kFewerMicroBatches, "fewer micro-batches"},
    {InvalidRequest::kMoreMicroBatches, "more micro-batches"}};

}  // namespace

std::string ToString(InvalidRequest invalid_request) { return NameOf(kInvalidRequestNames, invalid_request); }
InvalidRequest InvalidRequestFromString(const std::string& name) {
  return FromName(kInvalidRequestNames, "invalid_request", name);
}
bool IsAfterOpen(InvalidRequest invalid_request) { return invalid_request > InvalidRequest::kCode; }

}  // namespace zerocts
