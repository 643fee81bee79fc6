#include "conformance/host/system/core_waits.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace zerocts {

std::chrono::nanoseconds CoreWaits::LongestOf(const std::set<pid_t>& processes) {
  int64_t longest = 0;
  std::unordered_map<pid_t, int64_t> seen;
  const auto look_at = [&](pid_t thread, const std::string& folder) {
    std::ifstream file(folder + "/schedstat");
    int64_t ran = 0, waited = 0;
    if (!(file >> ran >> waited)) return;
    seen[thread] = waited;
    if (const auto before = waited_.find(thread); before != waited_.end())
      longest = std::max(longest, waited - before->second);
  };
  look_at(gettid(), "/proc/thread-self");
  for (const pid_t process : processes) {
    std::error_code gone;
    std::filesystem::directory_iterator thread(fmt::format("/proc/{}/task", process), gone);
    for (; !gone && thread != std::filesystem::directory_iterator(); thread.increment(gone))
      look_at(std::atoi(thread->path().filename().c_str()), thread->path());
  }
  waited_ = std::move(seen);
  return std::chrono::nanoseconds(longest);
}

}  // namespace zerocts
