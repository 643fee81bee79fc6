// One rounded fp32 operation at a time by MPFR, an arbiter that shares no arithmetic with ours.
#pragma once
#include <mpfr.h>

namespace zerocts {

/// fp32 as MPFR sees it: 24 bits, exponents of float, subnormals rounded once. MPFR's exponent range is a state of the
/// thread, restored at the end; at most one object per thread.
class RoundingOracle {
 public:
  RoundingOracle() {
    mpfr_set_emin(-148);
    mpfr_set_emax(128);
    mpfr_inits2(24, a_, b_, c_, result_, static_cast<mpfr_ptr>(nullptr));
  }
  ~RoundingOracle() {
    mpfr_clears(a_, b_, c_, result_, static_cast<mpfr_ptr>(nullptr));
    mpfr_set_emin(emin_before_);
    mpfr_set_emax(emax_before_);
  }
  RoundingOracle(const RoundingOracle&) = delete;

  float Plus(float a, float b) { return Binary(mpfr_add, a, b); }
  float Minus(float a, float b) { return Binary(mpfr_sub, a, b); }
  float Times(float a, float b) { return Binary(mpfr_mul, a, b); }
  float Over(float a, float b) { return Binary(mpfr_div, a, b); }
  float Root(float a) {
    mpfr_set_flt(a_, a, MPFR_RNDN);
    return Result(mpfr_sqrt(result_, a_, MPFR_RNDN));
  }
  float Fma(float a, float b, float c) {
    mpfr_set_flt(a_, a, MPFR_RNDN);
    mpfr_set_flt(b_, b, MPFR_RNDN);
    mpfr_set_flt(c_, c, MPFR_RNDN);
    return Result(mpfr_fma(result_, a_, b_, c_, MPFR_RNDN));
  }

 private:
  float Binary(int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t), float a, float b) {
    mpfr_set_flt(a_, a, MPFR_RNDN);
    mpfr_set_flt(b_, b, MPFR_RNDN);
    return Result(function(result_, a_, b_, MPFR_RNDN));
  }
  float Result(int rounding_error_sign) {
    mpfr_subnormalize(result_, rounding_error_sign, MPFR_RNDN);
    return mpfr_get_flt(result_, MPFR_RNDN);
  }

  const mpfr_exp_t emin_before_ = mpfr_get_emin(), emax_before_ = mpfr_get_emax();
  mpfr_t a_, b_, c_, result_;
};

}  // namespace zerocts
