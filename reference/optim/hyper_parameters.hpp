// Hyper-parameters of one parameter group, and what an optimizer keeps per element.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace zerocts {

enum class OptimizerKind {
  kSgd,
  kAdamW,
  kAdam,  // AdamW's formula with the decay in the gradient
  kLamb,  // one step length per whole tensor
  kMuon,  // of matrices alone: the whole one decides where each element goes
};

struct HyperParameters {
  float lr = 0.1f;
  float weight_decay = 0.0f;
  float momentum = 0.0f;                            // SGD, Muon
  float beta1 = 0.9f, beta2 = 0.999f, eps = 1e-8f;  // AdamW, Adam, LAMB; eps: Muon too
  float dampening = 0.0f;                           // SGD: the buffer takes up (1 - dampening) of a gradient
  bool nesterov = false;                            // SGD, Muon
  friend bool operator==(const HyperParameters&, const HyperParameters&) = default;
};

/// Names of the fp32 states beside the master weights: {"momentum"} or {"exp_avg", "exp_avg_sq"}.
std::vector<std::string> MomentNames(OptimizerKind kind);
inline bool HasSecondMoments(OptimizerKind kind) { return MomentNames(kind).size() > 1; }

std::string ToString(OptimizerKind kind);  // "sgd", "adamw", "adam", "lamb", "muon"
OptimizerKind OptimizerKindFromString(const std::string& name);

}  // namespace zerocts
