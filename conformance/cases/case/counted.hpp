// "1 case", "2 cases".
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace zerocts {

inline std::string Counted(int64_t count, const std::string& thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

}  // namespace zerocts
