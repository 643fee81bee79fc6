#include "conformance/check/bounded/forward_error.hpp"

#include <cmath>
#include <type_traits>
#include <utility>

namespace zerocts {
namespace {

using Tensors = oracle::Tensors<double>;

std::vector<Bounded> Exactly(const std::vector<double>& values) { return {values.begin(), values.end()}; }

BoundedTensors Exactly(const Tensors& tensors) {
  BoundedTensors exact;
  for (const std::vector<double>& values : tensors) exact.push_back(Exactly(values));
  return exact;
}

/// What a unit makes of exact inputs.
template <typename Unit>
std::vector<Bounded> OutputOf(const Unit& unit, const Tensors& parameters, const std::vector<double>& in) {
  if constexpr (std::is_same_v<Unit, oracle::Residual>) {
    return oracle::Plus(Exactly(unit.branch->Forward(parameters, in)), Exactly(in));
  } else {
    return unit.Forward(Exactly(parameters), Exactly(in));
  }
}

template <typename Unit>
double ErrorOfUnit(const Unit& unit, Precision stored, const Tensors& parameters, const std::vector<double>& in,
                   const std::vector<double>& upstream) {
  double error = 0;
  if constexpr (std::is_same_v<Unit, oracle::Residual>) error = ForwardError(*unit.branch, parameters, in, upstream);
  std::vector<Bounded> out = OutputOf(unit, parameters, in);
  oracle::RoundOperand(stored, out);
  for (size_t i = 0; i < out.size(); ++i) error += std::fabs(upstream[i]) * out[i].error;
  return error;
}

}  // namespace

double ForwardError(const oracle::Chain& chain, const Tensors& parameters, const std::vector<double>& in,
                    std::vector<double> upstream) {
  double error = 0;
  Tensors gradients(parameters.size());
  chain.Backward(parameters, in, std::move(upstream), gradients, [&](const auto& unit, const auto&... what_it_gets) {
    error += ErrorOfUnit(unit, chain.stored, what_it_gets...);
  });
  return error;
}

}  // namespace zerocts
