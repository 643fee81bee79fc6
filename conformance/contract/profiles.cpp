#include "conformance/contract/profiles.hpp"

#include <algorithm>

namespace zerocts {
namespace {

/// What every stage must keep.
const std::vector<std::string> kOfAStage = {
    "C-ZERO-001", "C-ZERO-003", "C-ZERO-004", "C-ZERO-005", "C-ZERO-007", "C-ZERO-010",
    "C-ZERO-011", "C-ZERO-014", "C-ZERO-050", "C-ZERO-060", "C-ZERO-061",
};

}  // namespace

const std::vector<Profile>& AllProfiles() {
  static const std::vector<Profile> kProfiles = {
      {"zero-1", "Optimizer states are divided, and nothing shows it.", "stage1", kOfAStage},
      {"zero-2", "Gradients are divided as well.", "stage2", kOfAStage},
      {"zero-3", "Parameters are divided as well.", "stage3", kOfAStage},
      {"hybrid", "Replicas of sharding groups.", "sharded_mesh", {"C-ZERO-002", "C-ZERO-016", "C-ZERO-031"}},
      {"tensor-parallel",
       "Layers are split over tensor ranks.",
       "tensor",
       {"C-ZERO-120", "C-ZERO-121", "C-ZERO-122", "C-ZERO-123", "C-ZERO-124"}},
      {"vocab-parallel", "Embedding, head and loss are split by tokens.", "tensor_vocab", {"C-ZERO-125"}},
      {"sequence-parallel", "Positions are split between the layers.", "tensor_sequence", {"C-ZERO-126"}},
      {"tensor-reshard", "Other tensor ranks load a checkpoint.", "", {"C-ZERO-127"}},
      {"expert-parallel", "Every E-th rank has the parameters of an expert.", "experts", {"C-ZERO-015"}},
      {"mixed-precision",
       "bf16 beside fp32: in sums, on the wire, in one model, with masters.",
       "",
       {"C-ZERO-021", "C-ZERO-023", "C-ZERO-024", "C-ZERO-056"}},
      {"loss-scaling",
       "Scales, overflow and skipped steps.",
       "loss_scaling",
       {"C-ZERO-034", "C-ZERO-035", "C-ZERO-040", "C-ZERO-041", "C-ZERO-042", "C-ZERO-043"}},
      {"offload", "State that is offloaded to CPU memory.", "offload", {"C-ZERO-071", "C-ZERO-073"}},
      {"overlap",
       "Collectives beside computation: harmless, and worth it.",
       "overlap",
       {"C-ZERO-070", "C-ZERO-071", "C-ZERO-072", "C-ZERO-074", "C-ZERO-102"}},
      {"checkpoint",
       "Save and load on the same ranks.",
       "",
       {"C-ZERO-080", "C-ZERO-083", "C-ZERO-084", "C-ZERO-087", "C-ZERO-088", "C-ZERO-090"}},
      {"reshard", "A checkpoint is loaded by another number of ranks.", "", {"C-ZERO-081"}},
      {"cost",
       "Memory and traffic are those of the definition.",
       "",
       {"C-ZERO-007", "C-ZERO-100", "C-ZERO-101", "C-ZERO-103"}},
  };
  return kProfiles;
}

bool HasClause(const std::vector<std::string>& profiles, const std::string& clause) {
  return std::ranges::any_of(AllProfiles(), [&](const Profile& profile) {
    return std::ranges::count(profiles, profile.name) > 0 && std::ranges::count(profile.clauses, clause) > 0;
  });
}

}  // namespace zerocts
