#include "reference/numerics/elementary.hpp"

#include "reference/numerics/elementary_inline.hpp"

namespace zerocts {

float Exp(float x) { return elementary::Exp(x); }
float Log(float x) { return elementary::Log(x); }
float Tanh(float x) { return elementary::Tanh(x); }

}  // namespace zerocts
