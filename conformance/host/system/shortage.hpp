// What the machine or a limit of this process lacks for a run: exit code 3 with what helps, never the subject's fault.
#pragma once
#include <sys/resource.h>

#include <cstdint>
#include <string>

#include "conformance/host/system/errors.hpp"

namespace zerocts {

struct Shortage : HarnessError {
  using HarnessError::HarnessError;
};

/// The system's reason and, where known, what helps: "No space left on device; free some or set TMPDIR ..".
std::string ReasonAndRemedy(int error_number);

/// Is it the machine that lacks something, rather than the path that somebody named?
bool IsShortage(int error_number);

/// Where the soft limit of the stack is too low, raises it: true, and the program must begin anew, for threads have the
/// stack that it began with. Throws Shortage where the hard limit is.
bool RaiseStackLimit();

/// Raises soft limits of this process, and so of its ranks, that are too low for a run. Throws Shortage for a hard one,
/// where a library would abort later on, or a subject would be blamed.
void RequireLimits(int world_size = 1);

inline constexpr int64_t kRoomOfRun = int64_t{16} << 20;  // bytes: pages, sockets, logs and what MPI keeps beside them

/// Why the folder has no room for so many bytes: its file system is full or takes no file of ours; "": it has.
std::string MissingRoom(const std::string& folder, int64_t bytes = kRoomOfRun);
/// Throws Shortage then.
void RequireRoom(const std::string& folder);

/// How many files this process may open: a worker shares the limit with its plugin.
class OpenFilesLimit {
 public:
  OpenFilesLimit() : before_(Now()) {}
  /// "lowered the limit of open files from 1024 to 3", of who ran since this was made; "": nobody did.
  std::string Lowered() const;

 private:
  static rlim_t Now();
  const rlim_t before_;
};

}  // namespace zerocts
