#include "conformance/session/failure/result_of_ending.hpp"

#include <stdexcept>

namespace zerocts {

Result ResultOf(Ending ending) {
  switch (ending) {
    case Ending::kObserved: return Result::kPass;
    case Ending::kUnsupported: return Result::kNotApplicable;
    case Ending::kRefused: return Result::kRefused;
    case Ending::kCrash: return Result::kCrash;
    case Ending::kEarlyExit: return Result::kEarlyExit;
    case Ending::kHang: return Result::kHang;
    case Ending::kGarbage: return Result::kGarbage;
    case Ending::kDisagreement: return Result::kDisagreement;
    case Ending::kBreach: return Result::kFail;
  }
  throw std::invalid_argument("Ending out of range");
}

}  // namespace zerocts
