// The words of the results.
#include "conformance/report/log/result.hpp"

#include "reference/optim/enum_names.hpp"

namespace zerocts {
namespace {

constexpr EnumName<Result> kNames[] = {
    {Result::kNotApplicable, "not_applicable"},
    {Result::kNotApplicable, "unsupported"},  // in logs of earlier versions
    {Result::kLeftOut, "left_out"},
    {Result::kPass, "pass"},
    {Result::kSelfReported, "self_reported"},
    {Result::kNotRun, "not_run"},
    {Result::kTooFew, "too_few"},
    {Result::kExpected, "expected_failure"},
    {Result::kStale, "stale_expectation"},
    {Result::kFail, "fail"},
    {Result::kRefused, "refused"},
    {Result::kDisagreement, "disagreement"},
    {Result::kGarbage, "garbage"},
    {Result::kHang, "hang"},
    {Result::kEarlyExit, "early_exit"},
    {Result::kHarnessError, "harness_error"},
    {Result::kCrash, "crash"},
};

}  // namespace

std::string ToString(Result result) { return NameOf(kNames, result); }
Result ResultFromString(const std::string& word) { return FromName(kNames, "result", word); }

}  // namespace zerocts
