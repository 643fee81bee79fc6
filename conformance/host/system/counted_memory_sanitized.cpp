// A sanitizer keeps what was freed, and shadows beside it.
#include "conformance/host/system/counted_memory.hpp"

namespace zerocts {

std::optional<ProcessCount> CountProcesses(const std::vector<pid_t>&) { return std::nullopt; }

}  // namespace zerocts
