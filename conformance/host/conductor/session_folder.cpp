// A shell waits beside the folder and removes it when this process ends in whatever way.
#include "conformance/host/conductor/session_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/shortage.hpp"

namespace zerocts {

namespace {

constexpr size_t kLongestBase = 60;  // sockets live in the folder, and their names must stay below 108 bytes

std::string Base() {
  const char* folder = std::getenv("TMPDIR");
  return folder && *folder == '/' && std::strlen(folder) <= kLongestBase ? folder : "/tmp";
}

void Remove(const std::string& folder) {
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

}  // namespace

/// Removes a folder once this process is gone: reads from a pipe that only this process holds open.
class SessionFolder::Janitor {
 public:
  explicit Janitor(const std::string& folder) {
    int pipe_ends[2];
    if (pipe2(pipe_ends, O_CLOEXEC) != 0)
      throw HarnessError(fmt::format("session folder {}: {}", folder, ReasonAndRemedy(errno)));
    open_end_ = pipe_ends[1];
    // The pause is for ranks that are just ending too.
    const char* argv[] = {"sh", "-c",           "trap '' INT TERM HUP; read gone; sleep 2; rm -rf \"$1\"",
                          "sh", folder.c_str(), nullptr};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, pipe_ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    const int error = posix_spawn(&pid_, "/bin/sh", &files, &attributes, const_cast<char**>(argv), environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    close(pipe_ends[0]);
    if (error)
      throw HarnessError(fmt::format("session folder {}: cannot start /bin/sh: {}", folder, ReasonAndRemedy(error)));
  }
  ~Janitor() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    close(open_end_);
  }

 private:
  int open_end_ = -1;
  pid_t pid_ = -1;
};

SessionFolder::SessionFolder() : path_(Base() + "/zerocts-XXXXXX") {
  RequireLimits();
  if (!mkdtemp(path_.data())) {
    throw HarnessError(fmt::format("session folder {}: cannot make it: {}; set TMPDIR to a folder that can be written",
                                   path_, std::strerror(errno)));
  }
  try {
    RequireRoom(path_);
    janitor_ = std::make_unique<Janitor>(path_);
  } catch (...) {
    Remove(path_);
    throw;
  }
}

SessionFolder::~SessionFolder() { Remove(path_); }

}  // namespace zerocts
