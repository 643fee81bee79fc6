// Runs code of a test where a folder has a file system of its own of a few KiB.
#pragma once
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>

namespace zerocts {

inline constexpr int kNoMount = 99;  // the exit code where this user may not mount

/// In a child, which ends with the exit code of `body(folder)`. Returns its status as waitpid does.
inline int OnFileSystemOf(const std::string& size, const std::function<int(const std::string& folder)>& body) {
  std::string folder = (std::filesystem::temp_directory_path() / "zerocts-tiny-XXXXXX").string();
  if (!mkdtemp(folder.data())) return -1;
  const pid_t child = fork();
  if (child == 0) {
    const bool apart = unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
    const bool mounted = apart && mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         mount("tmpfs", folder.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
    _exit(mounted ? body(folder) : kNoMount);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::filesystem::remove(folder);
  return status;
}

}  // namespace zerocts
