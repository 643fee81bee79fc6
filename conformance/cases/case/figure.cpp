#include "conformance/cases/case/figure.hpp"

#include <stdexcept>

namespace zerocts {

std::string ToString(FigureSource source) {
  switch (source) {
    case FigureSource::kSubject: return "subject";
    case FigureSource::kHost: return "host";
    case FigureSource::kKernel: return "kernel";
  }
  throw std::invalid_argument("FigureSource out of range");
}

std::string Figure::SourceInWords() const {
  switch (source) {
    case FigureSource::kSubject: return "as it reports";
    case FigureSource::kHost: return "as the host counted";
    case FigureSource::kKernel: return "as the kernel counted";
  }
  throw std::invalid_argument("FigureSource out of range");
}

}  // namespace zerocts
