// Hash of what a rank is fed, made by the worker while it feeds and by the conductor from the case: a difference means
// that the two do not run the same case (another binary, another text file).
#pragma once
#include <memory>
#include <span>
#include <string>

#include "conformance/cases/case/case.hpp"

namespace zerocts {

/// Streaming XXH3-128. The sequence: initial values of each parameter; then per step, per micro-batch: each parameter's
/// gradient (as fp32) unless it is given as NULL, or inputs and targets of the batch.
class InputHasher {
 public:
  InputHasher();
  ~InputHasher();
  void Add(std::span<const float> values);
  void Add(std::span<const int32_t> tokens);
  std::string Hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// From the case alone.
std::string InputHash(const Case& c, int rank);

}  // namespace zerocts
