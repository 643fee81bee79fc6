// What a configuration, a clause or a run came to: sixteen words, and which of two is worse.
#pragma once
#include <algorithm>
#include <array>
#include <string>

namespace zerocts {

/// From best to worst, so that the worst of several is their maximum. Not applicable is least: it is not a pass, it is
/// nothing. A failure outranks a refusal: a wrong number is worse than none.
enum class Result {
  kNotApplicable,
  kLeftOut,  // by an option of the run; the log calls it not applicable, and its reason begins with kLeftOutBy
  kPass,
  kSelfReported,  // passed, and the figures that this rests on are self-reported
  kExpected,      // failed as the expectations file says
  kNotRun,        // a clause: the run ended before; the log says too few, and the reasons begin with kNotRunBecause
  kTooFew,
  kStale,  // did not fail as it says
  kRefused,
  kFail,
  kDisagreement,
  kGarbage,
  kEarlyExit,
  kHang,
  kCrash,
  kHarnessError,
};
inline constexpr std::array kAllResults = {
    Result::kNotApplicable, Result::kLeftOut, Result::kPass,         Result::kSelfReported,
    Result::kExpected,      Result::kNotRun,  Result::kTooFew,       Result::kStale,
    Result::kRefused,       Result::kFail,    Result::kDisagreement, Result::kGarbage,
    Result::kEarlyExit,     Result::kHang,    Result::kCrash,        Result::kHarnessError,
};
inline constexpr const char* kLeftOutBy = "left out by ";      // "--optimizer adamw"
inline constexpr const char* kNotMeasured = "not measured: ";  // "the CPU time of a step"; what else there is passed
inline constexpr const char* kNotSeen = "not seen: ";          // "no parameter is sharded"; of a watched run
inline constexpr const char* kNotRunBecause = "not run: ";     // "the clause hung before"

std::string ToString(Result result);  // the word in results.ndjson: "early_exit"
/// Throws std::invalid_argument naming the word.
Result ResultFromString(const std::string& word);

/// Something was asked at all.
inline bool IsAsked(Result result) { return result > Result::kLeftOut; }

/// No case showed anything wrong.
inline bool Passes(Result result) { return result == Result::kPass || result == Result::kSelfReported; }

inline Result Worst(Result a, Result b) { return std::max(a, b); }

}  // namespace zerocts
