// Ranks for unit tests: W threads of this process, or W processes forked from it.
#pragma once
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "impl/comm/communicator.hpp"

namespace zerocts::engine {

struct TestRank {
  int rank;
  Device& device;
  CommunicatorSettings settings;
};
using RankBody = std::function<void(TestRank&)>;

/// Run `body` once per rank, all at once. What each rank threw, "" when nothing: [world_size].
std::vector<std::string> RunOnThreads(int world_size, std::chrono::milliseconds deadline, const RankBody& body);
std::vector<std::string> RunOnProcesses(int world_size, std::chrono::milliseconds deadline, const RankBody& body);

}  // namespace zerocts::engine
