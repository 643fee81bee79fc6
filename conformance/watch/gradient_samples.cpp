#include "conformance/watch/gradient_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "conformance/watch/additions.hpp"

namespace zerocts::watch {
namespace {

using Samples = std::vector<const GradientSample*>;
/// Does the term of this rank (as an index) and micro-batch count?
using Chosen = std::function<bool(size_t rank, size_t micro_batch, const GradientSample& sample)>;

TermSum SumOf(const GradientSample& sample, const Chosen& chosen) {
  std::vector<double> terms, sizes;
  for (size_t r = 0; r < sample.terms.size(); ++r) {
    for (size_t m = 0; m < sample.terms[r].size(); ++m) {
      if (!chosen(r, m, sample)) continue;
      terms.push_back(sample.terms[r][m]);
      sizes.push_back(std::abs(sample.terms[r][m]));
    }
  }
  const auto n = static_cast<double>(terms.size());
  return {ExactSum(terms), (n + 3) * sample.unit_roundoff * ExactSum(sizes) + kTiny, 2 * (n + 1) * sample.near_zero};
}

bool Always(size_t, size_t, const GradientSample&) { return true; }

size_t MicroBatches(const Samples& samples) {
  size_t most = 0;
  for (const GradientSample* sample : samples) {
    for (const auto& of_rank : sample->terms) most = std::max(most, of_rank.size());
  }
  return most;
}

struct Candidate {
  Mistake mistake;
  Chosen chosen;
  double factor;  // beside the expected one
};

bool IsOwn(size_t rank, size_t, const GradientSample& sample) { return sample.ranks[rank] == sample.rank; }

std::vector<Candidate> CandidatesFor(const Samples& samples) {
  const size_t batches = MicroBatches(samples);
  const auto world = static_cast<double>(samples.front()->ranks.size());
  std::vector<Candidate> candidates = {
      {{"a sum in place of a mean"}, Always, world},
      {{"divided by the number of ranks twice"}, Always, 1 / world},
      {{"each rank kept its own gradient"}, IsOwn, world},
      {{"each rank kept its own gradient, divided by the number of ranks"}, IsOwn, 1},
      {{"multiplied by the number of micro-batches"}, Always, static_cast<double>(batches)},
      {{"divided by the number of micro-batches"}, Always, 1.0 / static_cast<double>(batches)},
      {{"clipping did not reach it"}, Always, 1 / (samples.front()->expected_factor * world)}};
  for (size_t m = 1; m < batches; ++m) {
    const std::string which = m + 1 == batches ? fmt::format("micro-batch {} alone", batches)
                                               : fmt::format("micro-batches {} to {} alone", m + 1, batches);
    const auto last = [m](size_t, size_t batch, const GradientSample&) { return batch >= m; };
    candidates.push_back({{which, m}, last, 1});
  }
  for (size_t m = 0; m + 1 < batches; ++m) {
    const auto only = [m](size_t, size_t batch, const GradientSample&) { return batch == m; };
    candidates.push_back({{fmt::format("micro-batch {} alone", m + 1)}, only, 1});
  }
  for (size_t r = 0; r < samples.front()->ranks.size(); ++r) {
    const auto without = [r](size_t rank, size_t, const GradientSample&) { return rank != r; };
    const auto only = [r](size_t rank, size_t, const GradientSample&) { return rank == r; };
    const int rank = samples.front()->ranks[r];
    candidates.push_back({{fmt::format("without what rank {} had", rank)}, without, 1});
    candidates.push_back(
        {{fmt::format("without what rank {} had, as a mean of the others", rank)}, without, world / (world - 1)});
    candidates.push_back({{fmt::format("what rank {} alone had", rank)}, only, world});
  }
  return candidates;
}

}  // namespace

TermSum AllTerms(const GradientSample& sample) { return SumOf(sample, Always); }

bool Explains(const GradientSample& sample, const TermSum& sum, double factor) {
  const double bound = std::abs(factor) * (sum.error + sample.slack * std::abs(sum.total)) + sum.near_zero + kTiny;
  return std::abs(sample.got - factor * sum.total) <= bound;
}

bool IsTelling(const GradientSample& sample) {
  const TermSum sum = AllTerms(sample);
  return std::isfinite(sample.got + sum.total) &&
         std::abs(sum.total) > 4 * (sum.error + sum.near_zero / std::abs(sample.expected_factor));
}

double CommonFactor(const Samples& samples) {
  std::vector<double> factors;
  for (const GradientSample* sample : samples)
    factors.push_back(sample->got / (AllTerms(*sample).total * sample->expected_factor));
  const auto middle = factors.begin() + static_cast<std::ptrdiff_t>(factors.size() / 2);
  std::nth_element(factors.begin(), middle, factors.end());
  return *middle;
}

std::optional<Mistake> MistakeOf(const Samples& samples) {
  for (const Candidate& candidate : CandidatesFor(samples)) {
    const bool explains = std::ranges::all_of(samples, [&](const GradientSample* sample) {
      return Explains(*sample, SumOf(*sample, candidate.chosen), candidate.factor * sample->expected_factor);
    });
    if (explains) return candidate.mistake;
  }
  return std::nullopt;
}

}  // namespace zerocts::watch
