// Runs in every stage on a device that is not the host, for the guarded device and for a real GPU.
#pragma once
#include <string>
#include <vector>

#include "impl/stages/for_test/engines.hpp"

namespace zerocts::engine {

TestRun RunOfGivenGradients();
TestRun RunOfAModel();  // a small GPT with tied weights

inline const std::vector<OptimizerKind> kOptimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW,
                                                       OptimizerKind::kLamb};

/// Three ranks and steps of `run` in stages 0 to 3 and with offload, in fp32 and bf16, with each optimizer, on
/// `device`: expected are the bits of stage 0 on the host.
void ExpectTheBitsOfTheHost(TestRun run, const std::string& device,
                            const std::vector<OptimizerKind>& optimizers = kOptimizers);

/// A model whose layers two tensor ranks split on `device`, where asked vocabulary and positions too, against one rank
/// on the host.
void ExpectTheBitsOfOneTensorRank(const std::string& device, bool splits_all = false);

/// Self parity, `run.device` and all: W ranks in stages 0 to 3, W = 1, 2, 3, 4, in fp32 and bf16, have the bits of one
/// rank that takes all their micro-batches, where a tree adds them.
void ExpectTheBitsOfOneRank(TestRun run);

}  // namespace zerocts::engine
