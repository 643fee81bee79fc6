// What a checkpoint on disk says about who owns what.
#pragma once
#include <string>
#include <vector>

#include "reference/plan/value/plan.hpp"

namespace zerocts::read {

struct Reading {
  std::string format;  // "torch DCP, 3 files, 24 tensors"
  plan::Plan plan;
  std::vector<std::string> faults;  // what is wrong beside the plan: a file that is missing, cut off, of another save
  std::vector<std::string> untold;  // what no file of this format says
};

/// Readers of one format each, by the folder or file that holds it. They throw std::invalid_argument for what cannot be
/// read, or is beyond a reader's limits; what can be read and is wrong is a fault or breaks a property of the plan.
Reading ReadDcp(const std::string& folder);                 // torch.distributed.checkpoint: .metadata, *.distcp
Reading ReadDeepspeed(const std::string& folder);           // *zero_pp_rank_*_mp_rank_*_optim_states.pt
Reading ReadUniversal(const std::string& folder);           // DeepSpeed's universal: zero/PARAMETER/fp32.pt
Reading ReadShardedSafetensors(const std::string& folder);  // shard-*.safetensors with DCP_SHARDING_INFO
Reading ReadSafetensors(const std::string& path);           // one file, or an index of Hugging Face
Reading ReadOrbax(const std::string& folder);               // jax: _METADATA, _sharding, array_metadatas/process_*
Reading ReadZerocts(const std::string& folder);             // our engine's: latest, save-*/checkpoint.json

}  // namespace zerocts::read
