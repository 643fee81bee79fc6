// What all ranks of a group do at the same time.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "impl/subject/open/open_engine.hpp"

namespace zerocts::engine {

using Told = std::array<uint64_t, 3>;

/// Runs this rank's part and waits until every rank has: then all have succeeded and know what each told the others, or
/// all throw: what that rank's own part threw, or std::runtime_error.
std::vector<Told> Together(zerocts_engine& rank, const char* what, const std::function<Told()>& part);

}  // namespace zerocts::engine
