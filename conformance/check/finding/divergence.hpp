// Where two tensors, or two numbers of a step, differ first.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "conformance/cases/case/observation.hpp"

namespace zerocts {

/// An element of the tensor, and what it should be.
struct ElementValues {
  int64_t element = 0;
  float expected = 0, got = 0;
};

/// The first element that differs, in program order: step, phase, rank, tensor, element.
struct Divergence {
  int64_t step = 0;
  Phase phase = Phase::kLoad;
  int rank = 0;
  std::string tensor;   // "exp_avg of w1", "grad_norm"
  std::string what;     // "exp_avg", "grad_norm": as in TensorRecord, or of a scalar
  int parameter = 0;    // of a tensor
  int64_t element = 0;  // in the parameter; the shard's interval is in `interval`
  Interval interval;
  float expected = 0, got = 0;
  uint64_t ulp = 0;
  int64_t differing = 0, compared = 0;  // in that tensor piece
  std::vector<ElementValues> around;    // the element and those beside it in the piece; none of a scalar
  bool by_loaders = false;              // of a checkpoint that another number of ranks saved (cases/case/reshard.hpp)
  std::string note;                     // "wrong by 2: counted twice?", "expected of element 17: shifted by 1"
  std::vector<std::string> causes;      // mistakes that explain all that the run showed (check/cause/causes.hpp)
  std::string wrong_and_right;          // "p1 is wrong; right are p0, p2": parameters, of the case before it shrank
  std::vector<std::string> factors;     // "K: not divided by ..": by which it is wrong, as far as this case can tell
};
std::string ToString(const Divergence& d);  // several lines, with bits in hex

}  // namespace zerocts
