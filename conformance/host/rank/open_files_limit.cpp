#include "conformance/host/rank/open_files_limit.hpp"

#include <fmt/format.h>

namespace zerocts {

rlim_t OpenFilesLimit::Now() {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

std::string OpenFilesLimit::Lowered() const {
  const rlim_t now = Now();
  return now < before_ ? fmt::format("lowered the limit of open files from {} to {}", before_, now) : "";
}

}  // namespace zerocts
