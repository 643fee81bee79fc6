// The power of two by which all exact gradients are multiplied; magnitude.cpp draws those that are far from 1.
#include "conformance/cases/dimensions/declarations.hpp"

namespace zerocts {
namespace {

bool DrawExponent(Drawing& drawing) {
  if (IsExact(drawing.e.gradients)) drawing.e.gradient_exponent = drawing.draws.Pick<int>({-3, -1, 0, 0, 0, 2});
  return true;
}

std::string NameOfExponent(const Case& c) {
  const int exponent = c.experiment.gradient_exponent;
  return exponent < 0 ? "below" : exponent > 0 ? "above" : "zero";
}

}  // namespace

Dimension ExponentDimension() {
  return {.name = "exponent",
          .values = ValuesOf({{"below"}, {"zero"}, {"above"}}, NameOfExponent),
          .drawn = {.draw = DrawExponent}};
}

}  // namespace zerocts
