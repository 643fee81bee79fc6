// The native ZeRO engine of ZeRO-CTS, for other projects: find_package(zerocts), target zerocts::engine. These headers
// need the standard library alone.
#pragma once
#include <zerocts/library/buffer.hpp>
#include <zerocts/library/communicator.hpp>
#include <zerocts/library/distributed_optimizer.hpp>
#include <zerocts/library/engine.hpp>
#include <zerocts/library/settings.hpp>

namespace zerocts {
namespace engine = library;
}
