#pragma once
#include <string>
#include <vector>

namespace zerocts::watch {

/// The name of what a command runs: "train.py" of "torchrun --nproc-per-node 2 train.py", "lab.train" of "python -m
/// lab.train", else its first word.
std::string ScriptOf(const std::vector<std::string>& command);

}  // namespace zerocts::watch
