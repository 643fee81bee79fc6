#include "conformance/host/wire/worker_variables.hpp"

#include <cstdlib>

#include "conformance/host/system/errors.hpp"

namespace zerocts {

std::string RequiredVariable(const char* name) {
  const char* value = std::getenv(name);
  if (!value)
    throw HarnessError(std::string("worker: expected the variable ") + name +
                       " that the conductor sets; do not start workers by hand");
  return value;
}

}  // namespace zerocts
