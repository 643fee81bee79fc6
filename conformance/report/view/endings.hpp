// What each ending of a case comes to.
#pragma once
#include <stdexcept>

#include "conformance/cases/case/observation.hpp"
#include "conformance/report/log/result.hpp"

namespace zerocts {

struct EndingEntry {
  Ending ending;
  Result result;  // when nothing else is judged; its exit code is ExitCodeOf(result)
};

/// observation.hpp says what each ending is.
inline constexpr EndingEntry kEndings[] = {
    {Ending::kObserved, Result::kPass},       {Ending::kUnsupported, Result::kNotApplicable},
    {Ending::kRefused, Result::kRefused},     {Ending::kCrash, Result::kCrash},
    {Ending::kEarlyExit, Result::kEarlyExit}, {Ending::kHang, Result::kHang},
    {Ending::kGarbage, Result::kGarbage},     {Ending::kDisagreement, Result::kDisagreement},
    {Ending::kBreach, Result::kFail},
};

constexpr const EndingEntry& EntryOf(Ending ending) {
  for (const EndingEntry& entry : kEndings) {
    if (entry.ending == ending) return entry;
  }
  throw std::invalid_argument("Ending out of range");
}

constexpr Result ResultOf(Ending ending) { return EntryOf(ending).result; }

}  // namespace zerocts
