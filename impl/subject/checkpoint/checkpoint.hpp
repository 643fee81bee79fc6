// Checkpoints of the native engine: in each save (saves.hpp) one file of tensors per rank that holds something no other
// rank holds, and an index. Every piece of a tensor says which elements of which parameter it is, so any number of
// ranks in any arrangement can load what any other saved.
//
// `latest` holds the hash of the index, the index those of the headers of the files, a header those of its tensors:
// a load, which verifies all of them, finds every bit that is not as it was saved, and files of two saves.
//
// Whichever rank dies at whichever call of a save, the folder holds the save of before or the new one: all ranks write
// into a folder that counts for nothing yet, and meet; then the first rank renames `latest`.
#pragma once
#include <string>

#include "impl/subject/open/open_engine.hpp"

namespace zerocts::engine {

/// Both collective. Throw Unimplemented beside tensor ranks. What goes wrong on one rank is an error on all:
/// std::runtime_error, or what that rank's own call threw.
void SaveCheckpoint(zerocts_engine& rank, const std::string& folder);
/// Expects an engine that has made no step.
void LoadCheckpoint(zerocts_engine& rank, const std::string& folder);

}  // namespace zerocts::engine
