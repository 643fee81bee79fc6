#include "bench/spans.hpp"

namespace zerocts {

double SecondsIn(const std::vector<RecordedSpan>& spans, const std::string& name) {
  int64_t ns = 0;
  for (const RecordedSpan& span : spans) {
    if (span.name == name) ns += span.end_ns - span.begin_ns;
  }
  return 1e-9 * static_cast<double>(ns);
}

}  // namespace zerocts
