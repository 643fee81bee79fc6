// The host side of zerocts_subject.h for tests: W ranks as threads of this process, set and get through one store.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "conformance/abi/zerocts_subject.h"

namespace zerocts {

/// What the ranks of one case share.
class HostStore {
 public:
  explicit HostStore(int world_size) : world_size_(world_size) {}
  int world_size() const { return world_size_; }

  int Set(const std::string& key, const void* value, size_t bytes, std::string& error);
  int Get(const std::string& key, void* value, size_t bytes, uint32_t deadline_ms, std::string& error);
  int Barrier(uint32_t deadline_ms, std::string& error);

 private:
  const int world_size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::vector<char>> values_;
  int waiting_ = 0;
  uint64_t round_ = 0;
};

/// One rank's host. Fresh memory holds NaN.
class ThreadHost {
 public:
  explicit ThreadHost(HostStore& store);
  ThreadHost(const ThreadHost&) = delete;

  const zerocts_host* table() const { return &table_; }
  uint64_t held_bytes(int kind) const { return held_bytes_[kind]; }
  size_t blocks() const { return blocks_.size(); }  // allocated and not yet freed

 private:
  struct Block {
    uint64_t bytes;
    int kind;
  };
  HostStore& store_;
  std::string last_error_;
  std::map<void*, Block> blocks_;
  uint64_t held_bytes_[4] = {};
  zerocts_host table_{};
};

/// Calls body(rank) on one thread per rank and waits for all.
void RunRanks(int world_size, const std::function<void(int rank)>& body);

}  // namespace zerocts
