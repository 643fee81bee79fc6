#include "conformance/host/checkpoint_calls.hpp"

namespace zerocts {
namespace {

zerocts_checkpoint_args ArgsIn(const std::string& folder, zerocts_engine* engine) {
  auto args = ArgsFor<zerocts_checkpoint_args>(engine);
  args.folder = folder.c_str();
  return args;
}

}  // namespace

void CheckpointCalls::Save(zerocts_engine* engine) {
  zerocts_checkpoint_args args = ArgsIn(folder_, engine);
  caller_.Call("save", [&] { return caller_.table().save(&args); });
  const RendezvousOutcome met = rendezvous_.Barrier(deadline_ms_);
  if (met.code != ZEROCTS_OK) throw Refusal{"save", caller_.step(), met.code, "not every rank has saved: " + met.text};
}

void CheckpointCalls::Load(zerocts_engine* engine) {
  zerocts_checkpoint_args args = ArgsIn(folder_, engine);
  caller_.Call("load", [&] { return caller_.table().load(&args); });
}

}  // namespace zerocts
