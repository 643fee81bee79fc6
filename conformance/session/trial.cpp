#include "conformance/session/trial.hpp"

#include <stdexcept>

#include "conformance/session/session_state.hpp"

namespace zerocts {

Result ResultOf(Ending ending) {
  switch (ending) {
    case Ending::kObserved: return Result::kPass;
    case Ending::kUnsupported: return Result::kUnsupported;
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

std::optional<Failure> Try(const Judge& judge, const Stratum& stratum, const Case& c) {
  try {
    std::optional<Finding> finding = judge(stratum, c);
    if (!finding) return std::nullopt;
    return Failure{c, Result::kFail, *std::move(finding), LastReports()};
  } catch (const RunEnded& ended) {
    return Failure{c, ResultOf(ended.result.ending), {ended.result.message, std::nullopt}, ended.result.reports};
  } catch (const HarnessError&) {
    throw;
  } catch (const std::exception& error) {
    throw HarnessError(std::string(error.what()) + " (while judging " + Summary(c) + ")");
  }
}

}  // namespace zerocts
