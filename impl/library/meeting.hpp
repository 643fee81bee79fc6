// Where ranks meet that nobody else brings together: a table in the process, or a folder.
#pragma once
#include <chrono>
#include <string>

#include "impl/comm/communicator.hpp"

namespace zerocts::library {

/// Shared by all copies of the value that is returned.
engine::Rendezvous MeetInProcess(std::chrono::milliseconds deadline);

/// One file per key. Throws std::invalid_argument where `folder` is none.
engine::Rendezvous MeetInFolder(const std::string& folder, std::chrono::milliseconds deadline);

/// The same place, but for the keys of other names.
engine::Rendezvous Named(const std::string& name, const engine::Rendezvous& rendezvous);

}  // namespace zerocts::library
