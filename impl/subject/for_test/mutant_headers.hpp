// What the files include that mutants of the engine replace, compiled once. Nothing of this folder's parent: a patch
// may change its headers.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "impl/stages/engine/engine.hpp"
#include "impl/stages/rank/rank_context.hpp"
#include "impl/stages/stores/gradient_store.hpp"
