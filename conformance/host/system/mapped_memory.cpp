#include "conformance/host/system/mapped_memory.hpp"

#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>

#include "conformance/host/system/process_state.hpp"

namespace zerocts {
namespace {

using MappedFiles = std::map<uint64_t, uint64_t>;  // bytes that are mapped, by inode

constexpr uint64_t kBlockBytes = 512;  // of st_blocks

/// Private pages of a file are the file's until they are written to; then they are anonymous.
bool Counts(std::string_view line, bool shared) {
  return line == (shared ? "Pss" : "Anonymous") || line == "Swap" || line == "Private_Hugetlb" ||
         line == "Shared_Hugetlb";
}

uint64_t MappedBytes(std::istream& smaps, MappedFiles& files) {
  uint64_t bytes = 0;
  bool shared = false;
  for (std::string line; std::getline(smaps, line);) {
    unsigned long begin = 0, end = 0, inode = 0, kib = 0;
    char rights[5] = "", name[32] = "";
    if (std::sscanf(line.c_str(), "%lx-%lx %4s %*s %*s %lu", &begin, &end, rights, &inode) == 4) {
      shared = rights[3] == 's';
      if (shared && inode != 0) files[inode] += end - begin;
    } else if (std::sscanf(line.c_str(), "%31[^:]: %lu kB", name, &kib) == 2 && Counts(name, shared)) {
      bytes += kib * 1024;
    }
  }
  return bytes;
}

/// A file whose bytes lie in memory, or that no path names any more.
bool IsOnlyOpen(const char* path, const struct stat& file) {
  struct statfs system {};
  return S_ISREG(file.st_mode) && (file.st_nlink == 0 || (statfs(path, &system) == 0 && system.f_type == TMPFS_MAGIC));
}

/// Counts what is not mapped of files that are open.
uint64_t OpenFileBytes(const std::string& descriptors, const MappedFiles& mapped, std::error_code& error) {
  uint64_t bytes = 0;
  std::set<uint64_t> seen;
  for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(descriptors, error)) {
    struct stat file {};
    const char* path = entry.path().c_str();
    if (stat(path, &file) != 0 || !IsOnlyOpen(path, file) || !seen.insert(file.st_ino).second) continue;
    const auto found = mapped.find(file.st_ino);
    const uint64_t held = static_cast<uint64_t>(file.st_blocks) * kBlockBytes;
    bytes += held - std::min(held, found == mapped.end() ? 0 : found->second);
  }
  return bytes;
}

}  // namespace

uint64_t MemoryOf(pid_t process, std::set<std::string>& unread) {
  MappedFiles mapped;
  std::ifstream smaps(fmt::format("/proc/{}/smaps", process));
  if (!smaps && IsHidden(process, errno)) unread.insert("/proc/PID/smaps");
  const uint64_t bytes = MappedBytes(smaps, mapped);
  std::error_code error;
  const uint64_t open = OpenFileBytes(fmt::format("/proc/{}/fd", process), mapped, error);
  if (IsHidden(process, error.value())) unread.insert("/proc/PID/fd");
  return bytes + open;
}

}  // namespace zerocts
