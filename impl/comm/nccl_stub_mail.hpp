// How the ranks of the stub exchange bytes: a piece of shared memory with a ring of bytes from each rank to each other.
#pragma once
#include <nccl.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace zerocts {

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

struct StubMail {
  std::atomic<int> joined;
  StubPipe pipes[kMostStubRanks][kMostStubRanks];  // [from][to]
};

/// A new piece of shared memory, named by the id; it lives as long as the process.
ncclUniqueId NewStubMail();
/// nullptr: no process has it. The caller unmaps it.
StubMail* MapStubMail(const ncclUniqueId& id);
void UnmapStubMail(StubMail* mail);

}  // namespace zerocts
