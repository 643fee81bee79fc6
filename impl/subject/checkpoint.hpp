// Checkpoints of the native engine: one file of tensors per rank that holds something no other rank holds, and an
// index. Every piece of a tensor says which elements of which parameter it is, so any number of ranks in any
// arrangement can load what any other saved.
#pragma once
#include <string>

#include "impl/subject/open_engine.hpp"

namespace zerocts {

/// Both collective. What goes wrong on one rank is an error on all: std::runtime_error, or what that rank's own call
/// threw.
void SaveCheckpoint(zerocts_engine& rank, const std::string& folder);
/// Expects an engine that has made no step.
void LoadCheckpoint(zerocts_engine& rank, const std::string& folder);

}  // namespace zerocts
