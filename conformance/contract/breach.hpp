// A run whose numbers need not be looked at: every rank answered, but the subject did what it may not do.
#pragma once
#include <optional>
#include <string>

#include "conformance/cases/observation.hpp"

namespace zerocts {

/// Ends a judge; Try turns it into the failure of the case. In no place else is it caught.
class Breach : public std::exception {
 public:
  explicit Breach(std::string sentence) : sentence_(std::move(sentence)) {}
  const char* what() const noexcept override { return sentence_.c_str(); }

 private:
  std::string sentence_;
};

/// Of the first rank that has one: "rank 1: step changed MXCSR: ..".
std::optional<Breach> FirstBreach(const RunResult& result);

}  // namespace zerocts
