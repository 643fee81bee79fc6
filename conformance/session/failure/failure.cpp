#include "conformance/session/failure/failure.hpp"

#include "conformance/host/system/errors.hpp"
#include "conformance/report/view/endings.hpp"

namespace zerocts {

std::optional<Failure> Try(const Judge& judge, Trial& trial, const Case& c) {
  try {
    std::optional<Finding> finding = judge(trial, c);
    if (!finding) return std::nullopt;
    return Failure{c, Result::kFail, *std::move(finding), trial.reports()};
  } catch (const RunEnded& ended) {
    return Failure{c, ResultOf(ended.result.ending), {ended.result.message, std::nullopt}, ended.result.reports};
  } catch (const HarnessError&) {
    throw;
  } catch (const std::exception& error) {
    throw HarnessError(std::string(error.what()) + " (while judging " + Summary(c) + ")");
  }
}

}  // namespace zerocts
