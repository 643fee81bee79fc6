#include "conformance/check/cost/cost_of_tensors.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "conformance/check/cost/cpu_growth.hpp"
#include "conformance/check/finding/sentences.hpp"

namespace zerocts {
namespace {

constexpr int64_t kElements = 4096;

/// What the cheapest step but for the first takes; 0: the rank tells no time.
double CheapestStep(const RankObservation& rank, int64_t steps) {
  const std::vector<double> of_step = CpuOfSteps(rank, steps);
  return of_step.size() < 2 ? 0 : *std::min_element(of_step.begin() + 1, of_step.end());
}

struct Range {
  double least = 0, most = 0;
};

Range CpuOf(const std::vector<CostOfTensors>& turns) {
  const auto [least, most] = std::ranges::minmax(turns, {}, &CostOfTensors::cpu_ns);
  return {least.cpu_ns, most.cpu_ns};
}

}  // namespace

Case InTensors(const Case& c, int tensors) {
  Case cut = c;
  std::vector<ParameterSpec>& parameters = cut.experiment.parameters;
  parameters.clear();
  const int groups = static_cast<int>(c.experiment.groups.size());
  for (int p = 0; p < tensors; ++p) parameters.push_back({fmt::format("p{}", p), {kElements / tensors}, p % groups});
  return cut;
}

CostOfTensors::CostOfTensors(const Case& c, const std::vector<RankObservation>& ranks)
    : tensors(static_cast<int>(c.experiment.parameters.size())) {
  bool is_told = true;
  for (const RankObservation& rank : ranks) {
    const double cpu = CheapestStep(rank, c.experiment.steps);
    is_told = is_told && cpu > 0;
    cpu_ns += cpu;
    if (!rank.seen_traffic.empty()) seen_bytes += rank.seen_traffic.back().sent_bytes;
    if (rank.traffic.empty()) continue;
    for (const auto& [name, count] : kCollectives) {
      calls += (rank.traffic.back().*count).calls;
      bytes += (rank.traffic.back().*count).sent_bytes;
    }
  }
  if (!is_told) cpu_ns = 0;
}

std::optional<Finding> CheckCountsInTensors(const CostOfTensors& few, const CostOfTensors& many) {
  const auto times = static_cast<uint64_t>(many.tensors / few.tensors);
  const auto check = [&](const char* what, uint64_t of_few, uint64_t of_many) -> std::optional<Finding> {
    if (of_many <= times * of_few || of_many <= static_cast<uint64_t>(many.tensors)) return std::nullopt;
    return Found(
        fmt::format("a step of {} tensors takes {} {} on all ranks, one of {} tensors with as many elements "
                    "{}: expected at most {} times as many",
                    few.tensors, of_few, what, many.tensors, of_many, times));
  };
  if (auto finding = check("collective calls", few.calls, many.calls)) return finding;
  if (auto finding = check("bytes sent, as the ranks report,", few.bytes, many.bytes)) return finding;
  return check("bytes sent, as seen on their connections,", few.seen_bytes, many.seen_bytes);
}

std::optional<Finding> CheckCpuInTensors(const std::vector<CostOfTensors>& few, const std::vector<CostOfTensors>& many,
                                         Evidence& evidence) {
  const Range of_few = CpuOf(few), of_many = CpuOf(many);
  const double times = static_cast<double>(many.front().tensors) / few.front().tensors;
  const double most = std::pow(times, 1.5);  // the middle between in proportion and its square
  const bool is_told = of_few.least > 0 && of_many.least > 0;
  if (!is_told || (of_many.least <= most * of_few.most && of_many.most > most * of_few.least)) {
    evidence.AddNotMeasured("the CPU time of a step of more tensors");
    return std::nullopt;
  }
  if (of_many.most <= most * of_few.least) return std::nullopt;
  return Found(
      fmt::format("a step of {} tensors takes {:.3g} to {:.3g} us of CPU time on all ranks, one of {} tensors with "
                  "as many elements {:.3g} to {:.3g} us, {:.3g} times as much or more: expected about {} times "
                  "as much at most, and by no measure {:.3g}",
                  few.front().tensors, of_few.least / 1e3, of_few.most / 1e3, many.front().tensors, of_many.least / 1e3,
                  of_many.most / 1e3, of_many.least / of_few.most, times, most));
}

}  // namespace zerocts
