#include "conformance/check/bounded/forward_error.hpp"

#include <gtest/gtest.h>

#include "conformance/check/for_test/any_fp32.hpp"
#include "reference/numerics/counter_rng.hpp"

namespace zerocts {
namespace {

const GptSpec kSpec{.vocab = 7, .context = 3, .layers = 2, .heads = 2, .width = 4, .tied = false};
const oracle::TokenBatch kBatch{2, {0, 6, 2, 3, 3, 3}, {6, 2, 5, 3, 3, 0}};

oracle::Tensors<double> Parameters() {
  oracle::Tensors<double> parameters;
  for (const ParameterSpec& parameter : ModelParameters(kSpec)) {
    const auto p = static_cast<int>(parameters.size());
    const auto [centre, bound] = ModelInitialRange(kSpec, p);
    std::vector<double>& values = parameters.emplace_back();
    for (uint64_t i = 0; i < static_cast<uint64_t>(parameter.numel()); ++i) {
      values.push_back(RoundToBf16(centre + bound * RandomUniform(1, static_cast<uint64_t>(p), i)));
    }
  }
  return parameters;
}

double MeanOf(const std::vector<double>& losses) { return Sum(losses) / static_cast<double>(losses.size()); }

/// The largest share of the bound that an evaluation of the mean loss uses.
double ShareOf(Precision stored) {
  constexpr unsigned kEvaluations = 200;
  const oracle::Tensors<double> parameters = Parameters();
  const oracle::Chain chain = oracle::GptChain(kSpec, kBatch, {.stored = stored});
  const std::vector<double> exact = chain.Forward(parameters, {});
  const double bound = ForwardError(chain, parameters, {}, std::vector<double>(exact.size(), 1.0 / 6));
  double furthest = 0;
  for (unsigned evaluation = 0; evaluation < kEvaluations; ++evaluation) {
    AnyFp32::random.seed(evaluation);
    oracle::Tensors<AnyFp32> own;
    for (const auto& values : parameters) own.emplace_back(values.begin(), values.end());
    std::vector<double> losses;
    for (const AnyFp32 loss : chain.Forward(own, {})) losses.push_back(loss.value);
    furthest = std::fmax(furthest, std::fabs(MeanOf(losses) - MeanOf(exact)));
  }
  return furthest / bound;
}

/// What a branch errs, and one addition of each output.
TEST(ForwardError, CountsWhatBranchesErr) {
  const oracle::Chain branch{{{oracle::LayerNorm{2, 3}, 2}, {oracle::Gelu{}, 0}}};
  const oracle::Chain chain{{{oracle::Residual{std::make_shared<oracle::Chain>(branch)}, 2}}};
  const oracle::Tensors<double> parameters = {{1.0, 0.5, 2.0}, {0.0, 0.25, 1.0}};
  const std::vector<double> in = {1, 2, 4, -1, 0, 3}, upstream = {1, -2, 1, 0.5, 1, -1};
  const double of_branch = ForwardError(branch, parameters, in, upstream);
  const double of_chain = ForwardError(chain, parameters, in, upstream);
  EXPECT_GT(of_branch, 0);
  EXPECT_GT(of_chain, of_branch);
  EXPECT_LT(of_chain, of_branch + 6.5 * 6 * Bounded::kUnit);
}

TEST(ForwardError, HoldsForAnyEvaluationAndIsNotLoose) {
  for (const Precision stored : {Precision::kFp32, Precision::kBf16}) {
    const double share = ShareOf(stored);
    EXPECT_LT(share, 1.0) << ToString(stored);
    EXPECT_GT(share, 0.01) << ToString(stored);
  }
}

}  // namespace
}  // namespace zerocts
