#include "conformance/plans/read/pickle/pickle.hpp"

#include "conformance/plans/read/pickle/pickle_machine.hpp"

namespace zerocts::read {

const char* NameOf(Kind kind) {
  constexpr const char* kNames[] = {"None",      "a bool",         "an integer", "an integer beyond 64 bits",
                                    "a float",   "a text",         "bytes",      "a list",
                                    "a tuple",   "a dict",         "a set",      "a name",
                                    "an object", "a persistent id"};
  return kNames[static_cast<int>(kind)];
}

Pickle::Pickle(std::string bytes, const PickleLimits& limits) : bytes_(std::move(bytes)) {
  root_ = PickleMachine(bytes_, limits, values_).Run();
}

}  // namespace zerocts::read
