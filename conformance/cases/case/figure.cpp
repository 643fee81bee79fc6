#include "conformance/cases/case/figure.hpp"

#include <stdexcept>

namespace zerocts {

std::string ToString(Witness witness) {
  switch (witness) {
    case Witness::kSubject: return "subject";
    case Witness::kHost: return "host";
    case Witness::kKernel: return "kernel";
  }
  throw std::invalid_argument("Witness out of range");
}

std::string Figure::Source() const {
  switch (witness) {
    case Witness::kSubject: return "as it reports";
    case Witness::kHost: return "as the host counted";
    case Witness::kKernel: return "as the kernel counted";
  }
  throw std::invalid_argument("Witness out of range");
}

}  // namespace zerocts
