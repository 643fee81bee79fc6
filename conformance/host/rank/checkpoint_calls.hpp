// save and load of a subject's table, and what keeps a rank from reading what another has not written yet.
#pragma once
#include <string>
#include <utility>

#include "conformance/cases/case/checkpoint.hpp"
#include "conformance/host/rank/rank_context.hpp"

namespace zerocts {

class CheckpointCalls {
 public:
  CheckpointCalls(RankContext& context, std::string folder) : context_(context), folder_(std::move(folder)) {}

  /// Returns when every rank has saved. All throw Refusal.
  void Save();
  void Load();
  /// After Save, by every rank: one of them does it, before any can load.
  void DamageOneFile(const FileDamage& damage);

 private:
  void Call(const char* name, zerocts_status* (*function)(zerocts_checkpoint_args*));
  void MeetOthers();

  RankContext& context_;
  const std::string folder_;
};

}  // namespace zerocts
