// How long a conductor waits for its ranks, in time in which they could run, and where it works.
#pragma once
#include <chrono>
#include <string>

namespace zerocts {

struct HostSettings {
  std::chrono::milliseconds case_deadline{20000};      // one case on one group
  std::chrono::milliseconds start_deadline{120000};    // start of a group: ranks may import a framework on shared cores
  std::chrono::milliseconds shutdown_deadline{10000};  // from stop to the end of the last rank
  std::chrono::milliseconds notice_every{10000};       // of a wait: what it waits for, on stderr
  bool binds_ranks = false;  // each to its share of the cores, where each is a process that the launcher starts
  std::string session_dir;   // sockets, pages, rank output; made and removed by the caller (see SessionFolder)
};

}  // namespace zerocts
