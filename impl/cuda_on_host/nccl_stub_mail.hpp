// How the ranks of the stub exchange bytes: a piece of shared memory with a ring of bytes from each rank to each other.
#pragma once
#include <nccl.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace zerocts::engine {

inline constexpr int kMostStubRanks = 8;

/// One writer, one reader.
class StubPipe {
 public:
  size_t Write(const std::byte* from, size_t bytes);  // how many went in
  size_t Read(std::byte* to, size_t bytes);           // how many were there

 private:
  static constexpr size_t kBytes = 1 << 16;
  std::atomic<uint64_t> written_, read_;
  std::byte bytes_[kBytes];
};

/// What a rank asks for in one split, and, from the first rank of each new group, where its ranks meet.
struct StubSplit {
  std::atomic<bool> asked, answered;
  int color, key;
  ncclUniqueId id;
};

struct StubMail {
  static constexpr int kMostSplits = 8;
  std::atomic<int> joined;
  StubSplit splits[kMostSplits][kMostStubRanks];
  StubPipe pipes[kMostStubRanks][kMostStubRanks];  // [from][to]
};

/// A new piece of shared memory, named by the id; it lives as long as the process.
ncclUniqueId NewStubMail();
/// nullptr: no process has it. The caller unmaps it.
StubMail* MapStubMail(const ncclUniqueId& id);
void UnmapStubMail(StubMail* mail);

/// A rank's position among `size` ranks that take part in a split.
struct StubMember {
  int rank, size;
  StubMail* mail;
};
/// std::nullopt: not everybody has asked yet, or the group's first rank has not answered.
std::optional<StubMember> MemberOfSplit(StubSplit* asked, int size, int rank);

}  // namespace zerocts::engine
