// save and load of a subject's table, and what keeps a rank from reading what another has not written yet.
#pragma once
#include <string>

#include "conformance/cases/case/checkpoint.hpp"
#include "conformance/host/rank/rendezvous_client.hpp"
#include "conformance/host/rank/subject_caller.hpp"

namespace zerocts {

class CheckpointCalls {
 public:
  CheckpointCalls(std::string folder, RendezvousClient& rendezvous, SubjectCaller& caller, RankPage& page,
                  uint32_t deadline_ms)
      : folder_(std::move(folder)), rendezvous_(rendezvous), caller_(caller), page_(page), deadline_ms_(deadline_ms) {}

  /// Returns when every rank has saved. All throw Refusal.
  void Save(zerocts_engine* engine);
  void Load(zerocts_engine* engine);
  /// After Save, by every rank: one of them does it, before any can load.
  void DamageOneFile(const FileDamage& damage, int rank);

 private:
  void Call(const char* name, zerocts_status* (*function)(zerocts_checkpoint_args*), zerocts_engine* engine);
  void MeetOthers();

  const std::string folder_;
  RendezvousClient& rendezvous_;
  SubjectCaller& caller_;
  RankPage& page_;
  const uint32_t deadline_ms_;
};

}  // namespace zerocts
