// Test oracle: gradients against central finite differences, with a bound derived for each element:
//   |got - difference| <= running error of the analytic gradient in the model's arithmetic (measured.hpp)
//                       + |error of the difference|, estimated by halving the step.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "reference/model/oracle.hpp"

namespace zerocts::oracle {

template <typename N>
Tensors<N> As(const Tensors<double>& tensors) {
  Tensors<N> converted;
  for (const auto& tensor : tensors) converted.emplace_back(tensor.begin(), tensor.end());
  return converted;
}

struct Difference {
  double value, error;
};

/// d objective / d x at x by central differences of step h and h / 2, extrapolated (Richardson). The last term covers
/// rounding in double.
template <typename Objective>
Difference CentralDifference(double& x, Objective objective) {
  const double at = x;
  const auto difference = [&](double h) {
    x = at + h;
    const double above = objective();
    x = at - h;
    const double below = objective();
    x = at;
    return (above - below) / (2 * h);
  };
  const double h = 0x1p-10;
  const double coarse = difference(h), fine = difference(h / 2);
  const double extrapolated = (4 * fine - coarse) / 3;
  return {extrapolated, std::fabs(extrapolated - fine) + 1e-11};
}

/// Objective: sum of upstream * Forward(parameters, in). `gradients` (stored in `precision`) and `downstream` are what
/// the code under test got for it.
template <typename UnitOracle>
void ExpectGradients(const UnitOracle& oracle, Tensors<double> parameters, Vector<double> in,
                     const Vector<double>& upstream, const std::vector<std::vector<float>>& gradients,
                     const std::vector<float>& downstream, Precision precision = Precision::kFp32) {
  const auto objective = [&] {
    const Vector<double> out = oracle.template Forward<double>(parameters, in);
    double sum = 0.0;
    for (size_t i = 0; i < out.size(); ++i) sum += upstream[i] * out[i];
    return sum;
  };
  Tensors<Measured> measured(parameters.size());
  const Vector<Measured> measured_downstream =
      oracle.template Backward<Measured>(As<Measured>(parameters), Vector<Measured>(in.begin(), in.end()),
                                         Vector<Measured>(upstream.begin(), upstream.end()), measured);

  const auto expect_one = [&](double& x, Measured bound, float got, const std::string& where) {
    const Difference difference = CentralDifference(x, objective);
    EXPECT_NEAR(got, difference.value, bound.error + difference.error) << where;
  };
  for (size_t p = 0; p < parameters.size(); ++p) {
    for (size_t i = 0; i < parameters[p].size(); ++i) {
      if (precision == Precision::kBf16) measured[p][i] = ToBf16Error(measured[p][i]);
      expect_one(parameters[p][i], measured[p][i], gradients[p][i],
                 "parameter " + std::to_string(p) + " element " + std::to_string(i));
    }
  }
  for (size_t i = 0; i < downstream.size(); ++i) {
    expect_one(in[i], measured_downstream[i], downstream[i], "input " + std::to_string(i));
  }
}

}  // namespace zerocts::oracle
