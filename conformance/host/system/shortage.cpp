#include "conformance/host/system/shortage.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <latch>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace zerocts {
namespace {

constexpr rlim_t kFilesOfProgram = 64, kFilesOfRank = 4;  // connections of a rank and its shim, and what watches them
constexpr int kUsualRanks = 64;                           // that a pool keeps
constexpr int kThreadsOfProgram = 16, kThreadsOfRank = 8, kMostTriedThreads = 512;
constexpr rlim_t kLeastStack = rlim_t{1} << 20;
constexpr rlim_t kGibibyte = rlim_t{1} << 30;
constexpr int kTrialBytes = 1 << 16;
constexpr const char* kMakeRoom = "free some or set TMPDIR to a folder elsewhere";

struct Limit {
  int resource;
  const char* what;
  rlim_t least;
  const char* flag;  // of the shell's ulimit
};

/// True: it was raised.
bool Require(const Limit& limit) {
  rlimit now{};
  if (getrlimit(limit.resource, &now) != 0 || now.rlim_cur >= limit.least) return false;
  if (now.rlim_max < limit.least) {
    throw Shortage(
        fmt::format("the limit of {} is too low for a run: expected {} or more, got {}; raise it (ulimit {})",
                    limit.what, limit.least, now.rlim_max, limit.flag));
  }
  now.rlim_cur = limit.least;
  return setrlimit(limit.resource, &now) == 0;
}

/// All at once, as a run has them. They are limited by more than this process: by the user's others, by a container.
void RequireThreads(int threads) {
  std::latch all_tried(1);
  std::vector<std::jthread> trial;
  int error = 0;
  try {
    while (static_cast<int>(trial.size()) < threads) trial.emplace_back([&] { all_tried.wait(); });
  } catch (const std::system_error& none_left) {
    error = none_left.code().value();
  } catch (const std::bad_alloc&) {
    error = ENOMEM;
  }
  all_tried.count_down();
  if (!error) return;
  throw Shortage(fmt::format("processes and threads are too few for a run: expected {} more, got {}: {}", threads,
                             trial.size(), ReasonAndRemedy(error)));
}

/// What statvfs does not know: quotas, limits of a file's size, a file system that became read-only.
int ErrorOfTrialFile(const std::string& folder) {
  std::string path = folder + "/room-XXXXXX";
  const int file = mkostemp(path.data(), O_CLOEXEC);
  if (file < 0) return errno;
  const int error = posix_fallocate(file, 0, kTrialBytes);
  close(file);
  unlink(path.c_str());
  return error;
}

}  // namespace

std::string ReasonAndRemedy(int error_number) {
  const auto with = [&](const char* remedy) { return fmt::format("{}; {}", std::strerror(error_number), remedy); };
  switch (error_number) {
    case ENOSPC:
    case EDQUOT: return with(kMakeRoom);
    case EFBIG: return with("raise the limit of a file's size (ulimit -f)");
    case EMFILE: return with("raise the limit of open files (ulimit -n)");
    case ENFILE: return with("close other programs or raise fs.file-max");
    case ENOMEM: return with("free some, choose fewer ranks or --jobs 1");
    case EAGAIN: return with("end other processes or raise their limit (ulimit -u)");
    default: return std::strerror(error_number);
  }
}

bool IsShortage(int error_number) {
  constexpr int kShortages[] = {ENOSPC, EDQUOT, EFBIG, EMFILE, ENFILE, ENOMEM, EIO};
  return std::ranges::find(kShortages, error_number) != std::end(kShortages);
}

bool RaiseStackLimit() { return Require({RLIMIT_STACK, "a thread's bytes of stack", kLeastStack, "-s"}); }

void RequireLimits(int world_size) {
  const auto ranks = static_cast<rlim_t>(std::max(world_size, kUsualRanks));
  for (const Limit& limit : {Limit{RLIMIT_NOFILE, "open files", kFilesOfProgram + ranks * kFilesOfRank, "-n"},
                             Limit{RLIMIT_FSIZE, "a file's bytes", kGibibyte, "-f"},
                             Limit{RLIMIT_AS, "a process's bytes of address space", kGibibyte, "-v"},
                             Limit{RLIMIT_DATA, "a process's bytes of data", kGibibyte, "-d"}}) {
    Require(limit);
  }
  RequireThreads(std::min(kThreadsOfProgram + world_size * kThreadsOfRank, kMostTriedThreads));
}

std::string MissingRoom(const std::string& folder, int64_t bytes) {
  struct statvfs system {};
  if (statvfs(folder.c_str(), &system) != 0) return fmt::format("the folder {}: {}", folder, ReasonAndRemedy(errno));
  if (const auto free = static_cast<int64_t>(system.f_bavail * system.f_frsize); free < bytes) {
    return fmt::format("the folder {} is full: expected {} free bytes, got {}; {}", folder, bytes, free, kMakeRoom);
  }
  const int error = ErrorOfTrialFile(folder);
  return error ? fmt::format("the folder {} takes no more files: {}", folder, ReasonAndRemedy(error)) : "";
}

void RequireRoom(const std::string& folder) {
  if (const std::string missing = MissingRoom(folder); !missing.empty()) throw Shortage(missing);
}

rlim_t OpenFilesLimit::Now() {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

std::string OpenFilesLimit::Lowered() const {
  const rlim_t now = Now();
  return now < before_ ? fmt::format("lowered the limit of open files from {} to {}", before_, now) : "";
}

}  // namespace zerocts
