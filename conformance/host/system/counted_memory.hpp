// What the kernel counts for the processes of a rank, seen from outside of the subject.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace zerocts {

/// Since the processes began; what passes on TCP connections of this one is left out.
struct FileTraffic {
  int64_t written_bytes = 0, read_bytes = 0;
};

struct ProcessCount {
  /// Anonymous pages, shared mappings by the process's share in them, huge pages, what was swapped out, and files in
  /// memory that only an open descriptor names. Pages that a fork still shares count whole.
  uint64_t memory_bytes = 0;
  FileTraffic before, after;     // the look itself reads files
  std::set<std::string> unread;  // "/proc/PID/io": what cannot be read here, so that none of these figures is whole
};

/// Counts these, after what was freed in this one was given back. Nothing where a sanitizer's own memory is in it. From
/// the first call on, large blocks of malloc are mapped alone, so that none stays behind at the end of a thread's heap.
std::optional<ProcessCount> CountProcesses(const std::vector<pid_t>& processes);

}  // namespace zerocts
