// What a stratum, a clause or a run came to: thirteen words, and which of two is worse.
#pragma once
#include <algorithm>
#include <array>
#include <string>

namespace zerocts {

/// From best to worst, so that the worst of several is their maximum. Unsupported is least: it is not a pass, it is
/// nothing.
enum class Result {
  kUnsupported,
  kPass,
  kExpected,  // failed as the expectations file says
  kTooFew,
  kStale,  // did not fail as it says
  kFail,
  kRefused,
  kDisagreement,
  kGarbage,
  kEarlyExit,
  kHang,
  kCrash,
  kHarnessError,
};
inline constexpr std::array kAllResults = {
    Result::kUnsupported, Result::kPass,    Result::kExpected,     Result::kTooFew,  Result::kStale,
    Result::kFail,        Result::kRefused, Result::kDisagreement, Result::kGarbage, Result::kEarlyExit,
    Result::kHang,        Result::kCrash,   Result::kHarnessError,
};

std::string ToString(Result result);  // the word in results.ndjson: "early_exit"
/// Throws std::invalid_argument naming the word.
Result ResultFromString(const std::string& word);

inline Result Worst(Result a, Result b) { return std::max(a, b); }

}  // namespace zerocts
