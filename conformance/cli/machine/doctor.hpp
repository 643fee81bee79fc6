// What this machine has and lacks, for the main job and for each part, and what mends it.
#pragma once
#include <string>
#include <vector>

namespace zerocts {

struct Examined {
  std::string what;  // "mpirun"
  bool there = false;
  std::string found;       // what is there, or why it is not
  std::string needed_for;  // "the main job", "--device cuda"
  std::string remedy;      // a command, or what else helps; "" where `found` says it
  bool for_main_job = false;
};

/// In the order in which one needs it. Starts ranks of the native subject, and ends them.
std::vector<Examined> ExamineMachine();

}  // namespace zerocts
