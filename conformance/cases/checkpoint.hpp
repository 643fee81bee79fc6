// What of a run goes through a checkpoint.
#pragma once
#include <cstdint>
#include <string>

namespace zerocts {

enum class CheckpointUse {
  kResume,    // saved, loaded into a fresh engine that was opened with other initial values, observed again, trained on
  kSaveOnly,  // saved and trained on
};
std::string ToString(CheckpointUse use);  // "resume", "save_only"
CheckpointUse CheckpointUseFromString(const std::string& name);

struct Checkpoint {
  int64_t after_step = 0;
  CheckpointUse how = CheckpointUse::kResume;
  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

/// What is read after a load has a name of its own: "parameter_after_resume" of "parameter".
std::string AfterResume(const std::string& what);
bool IsAfterResume(const std::string& what);
/// "parameter" of both; other names stay.
std::string WithoutResume(const std::string& what);

}  // namespace zerocts
