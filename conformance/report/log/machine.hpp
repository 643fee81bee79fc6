// The machine of this process, for the log of a run: who reads a report elsewhere wants to know what it ran on.
#pragma once
#include <nlohmann/json_fwd.hpp>

namespace zerocts {

/// {"system": "Linux 6.1.0 x86_64", "distribution": .., "processor": .., "cores": "2", "memory": "23.5 GiB"}: what the
/// system tells, in words; what it does not tell is left out.
nlohmann::json ThisMachine();

}  // namespace zerocts
