// exp, log and tanh of fp32, correctly rounded: "the float nearest to the real value" is the whole definition.
// Evaluated in IEEE double with +, -, *, / and fma only, so that every machine gets the same bits.
#pragma once

namespace zerocts {

float Exp(float x);   // Exp(-inf) = 0, overflow = inf
float Log(float x);   // Log(+-0) = -inf, Log(x < 0) = NaN, Log(inf) = inf
float Tanh(float x);  // odd; Tanh(+-0) = +-0

}  // namespace zerocts
