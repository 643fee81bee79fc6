#include "conformance/host/wire/status_code.hpp"

#include <fmt/format.h>

#include "conformance/abi/zerocts_subject.h"

namespace zerocts {

std::string StatusCodeName(int code) {
  switch (code) {
    case ZEROCTS_OK: return "OK";
    case ZEROCTS_INVALID_ARGUMENT: return "INVALID_ARGUMENT";
    case ZEROCTS_UNIMPLEMENTED: return "UNIMPLEMENTED";
    case ZEROCTS_OUT_OF_MEMORY: return "OUT_OF_MEMORY";
    case ZEROCTS_DEADLINE_EXCEEDED: return "DEADLINE_EXCEEDED";
    case ZEROCTS_INTERNAL: return "INTERNAL";
    default: return fmt::format("code {}", code);
  }
}

}  // namespace zerocts
