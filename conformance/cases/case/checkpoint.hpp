// What of a run goes through a checkpoint.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace zerocts {

enum class CheckpointUse {
  kResume,    // saved, loaded into a fresh engine that was opened with other initial values, observed again, trained on
  kSaveOnly,  // saved and trained on
  kReshard,   // two runs (reshard.hpp): saved by one group of ranks, loaded and trained on by another number of them
  kLoad,      // the second of these
};
std::string ToString(CheckpointUse use);  // "resume", "save_only", "reshard", "load"
CheckpointUse CheckpointUseFromString(const std::string& name);

/// What happens to a file of a checkpoint before it is loaded: every rank must refuse it.
enum class Damage { kMissing, kCut };
std::string ToString(Damage damage);  // "missing", "cut": half of it is left
Damage DamageFromString(const std::string& name);

struct FileDamage {
  Damage what = Damage::kMissing;
  int64_t file = 0;  // of those that are not empty, in the order of their names; modulo their count
  friend bool operator==(const FileDamage&, const FileDamage&) = default;
};

struct Checkpoint {
  int64_t after_step = 0;
  CheckpointUse how = CheckpointUse::kResume;
  std::optional<FileDamage> damage = {};
  int other_world_size = 0;  // of the ranks at its other end: who load it (kReshard), who saved it (kLoad); else 0
  int other_tensor = 0;      // tensor ranks at its other end, for the same data; 0: the data is divided anew
  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

/// What is read after a load has a name of its own: "parameter_after_resume" of "parameter".
std::string AfterResume(const std::string& what);
bool IsAfterResume(const std::string& what);
/// "parameter" of both; other names stay.
std::string WithoutResume(const std::string& what);

}  // namespace zerocts
