// Correctly rounded fp32 functions by MPFR, an arbiter that shares no code with ours.
#pragma once
#include <mpfr.h>

namespace zerocts {

/// fp32 as MPFR sees it: 24 bits, exponents of float, subnormals rounded once. MPFR's exponent range is a state of the
/// thread, restored at the end; at most one object per thread.
class ElementaryOracle {
 public:
  ElementaryOracle() {
    mpfr_set_emin(-148);
    mpfr_set_emax(128);
    mpfr_init2(value_, 24);
  }
  ~ElementaryOracle() {
    mpfr_clear(value_);
    mpfr_set_emin(emin_before_);
    mpfr_set_emax(emax_before_);
  }
  ElementaryOracle(const ElementaryOracle&) = delete;

  float Exp(float x) { return Apply(mpfr_exp, x); }
  float Log(float x) { return Apply(mpfr_log, x); }
  float Tanh(float x) { return Apply(mpfr_tanh, x); }

 private:
  float Apply(int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t), float x) {
    mpfr_set_flt(value_, x, MPFR_RNDN);
    const int rounding_error_sign = function(value_, value_, MPFR_RNDN);
    mpfr_subnormalize(value_, rounding_error_sign, MPFR_RNDN);
    return mpfr_get_flt(value_, MPFR_RNDN);
  }

  const mpfr_exp_t emin_before_ = mpfr_get_emin(), emax_before_ = mpfr_get_emax();
  mpfr_t value_;
};

}  // namespace zerocts
