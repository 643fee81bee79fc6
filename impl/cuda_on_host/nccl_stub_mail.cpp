#include "impl/cuda_on_host/nccl_stub_mail.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

namespace zerocts::engine {

size_t StubPipe::Write(const std::byte* from, size_t bytes) {
  const uint64_t begin = written_.load();
  const size_t count = std::min<size_t>(bytes, kBytes - (begin - read_.load()));
  for (size_t i = 0; i < count; ++i) bytes_[(begin + i) % kBytes] = from[i];
  written_.store(begin + count);
  return count;
}

size_t StubPipe::Read(std::byte* to, size_t bytes) {
  const uint64_t begin = read_.load();
  const size_t count = std::min<size_t>(bytes, written_.load() - begin);
  for (size_t i = 0; i < count; ++i) to[i] = bytes_[(begin + i) % kBytes];
  read_.store(begin + count);
  return count;
}

ncclUniqueId NewStubMail() {
  const int fd = memfd_create("nccl_stub", MFD_CLOEXEC);
  if (fd >= 0 && ftruncate(fd, sizeof(StubMail)) != 0) close(fd);
  ncclUniqueId id{};
  std::snprintf(id.internal, sizeof id.internal, "/proc/%d/fd/%d", getpid(), fd);
  return id;
}

StubMail* MapStubMail(const ncclUniqueId& id) {
  const int fd = open(id.internal, O_RDWR | O_CLOEXEC);
  if (fd < 0) return nullptr;
  void* memory = mmap(nullptr, sizeof(StubMail), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  return memory == MAP_FAILED ? nullptr : static_cast<StubMail*>(memory);
}

std::optional<StubMember> MemberOfSplit(StubSplit* asked, int size, int rank) {
  std::vector<std::pair<int, int>> group;  // (key, rank) of this rank's color
  for (int peer = 0; peer < size; ++peer) {
    if (!asked[peer].asked) return std::nullopt;
    if (asked[peer].color == asked[rank].color) group.emplace_back(asked[peer].key, peer);
  }
  std::sort(group.begin(), group.end());
  StubSplit& first = asked[group.front().second];
  if (group.front().second == rank && !first.answered) {
    first.id = NewStubMail();
    first.answered = true;
  }
  if (!first.answered) return std::nullopt;
  const auto found = std::find(group.begin(), group.end(), std::pair(asked[rank].key, rank));
  return StubMember{static_cast<int>(found - group.begin()), static_cast<int>(group.size()), MapStubMail(first.id)};
}

void UnmapStubMail(StubMail* mail) { munmap(mail, sizeof *mail); }

}  // namespace zerocts::engine
