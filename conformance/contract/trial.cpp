#include "conformance/contract/trial.hpp"

#include <stdexcept>

#include "conformance/contract/session_state.hpp"
#include "conformance/host/system/errors.hpp"

namespace zerocts {

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
