#include "conformance/specimen/thread_host.hpp"

#include <chrono>
#include <cstring>
#include <new>
#include <thread>

namespace zerocts {
namespace {

constexpr std::align_val_t kAlignment{128};

ThreadHost& Self(void* context) { return *static_cast<ThreadHost*>(context); }

}  // namespace

int HostStore::Set(const std::string& key, const void* value, size_t bytes, std::string& error) {
  const std::lock_guard lock(mutex_);
  const char* begin = static_cast<const char*>(value);
  if (!values_.emplace(key, std::vector<char>(begin, begin + bytes)).second) {
    error = "key " + key + " was set twice";
    return ZEROCTS_INVALID_ARGUMENT;
  }
  changed_.notify_all();
  return ZEROCTS_OK;
}

int HostStore::Get(const std::string& key, void* value, size_t bytes, uint32_t deadline_ms, std::string& error) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, std::chrono::milliseconds(deadline_ms), [&] { return values_.count(key) > 0; })) {
    error = "nobody set " + key;
    return ZEROCTS_DEADLINE_EXCEEDED;
  }
  const std::vector<char>& found = values_[key];
  if (found.size() != bytes) {
    error = key + " has " + std::to_string(found.size()) + " bytes, " + std::to_string(bytes) + " were asked for";
    return ZEROCTS_INVALID_ARGUMENT;
  }
  if (bytes > 0) std::memcpy(value, found.data(), bytes);
  return ZEROCTS_OK;
}

int HostStore::Barrier(uint32_t deadline_ms, std::string& error) {
  std::unique_lock lock(mutex_);
  const uint64_t round = round_;
  if (++waiting_ == world_size_) {
    waiting_ = 0;
    ++round_;
    changed_.notify_all();
  }
  if (changed_.wait_for(lock, std::chrono::milliseconds(deadline_ms), [&] { return round_ != round; }))
    return ZEROCTS_OK;
  error = "barrier: " + std::to_string(world_size_ - waiting_) + " ranks did not come";
  return ZEROCTS_DEADLINE_EXCEEDED;
}

ThreadHost::ThreadHost(HostStore& store) : store_(store) {
  table_.struct_size = sizeof table_;
  table_.abi_major = ZEROCTS_ABI_MAJOR;
  table_.abi_minor = ZEROCTS_ABI_MINOR;
  table_.context = this;
  table_.ranks_share_process = 1;
  table_.set = [](void* c, const char* key, const void* value, size_t bytes) {
    return Self(c).store_.Set(key, value, bytes, Self(c).last_error_);
  };
  table_.get = [](void* c, const char* key, void* value, size_t bytes, uint32_t deadline_ms) {
    return Self(c).store_.Get(key, value, bytes, deadline_ms, Self(c).last_error_);
  };
  table_.barrier = [](void* c, uint32_t deadline_ms) {
    return Self(c).store_.Barrier(deadline_ms, Self(c).last_error_);
  };
  table_.last_error = [](void* c) { return Self(c).last_error_.c_str(); };
  table_.alloc = [](void* c, size_t bytes, int kind) {
    void* memory = ::operator new(bytes, kAlignment);
    std::memset(memory, 0xff, bytes);
    Self(c).blocks_[memory] = {bytes, kind};
    Self(c).held_bytes_[kind] += bytes;
    return memory;
  };
  table_.free = [](void* c, void* memory) {
    const Block block = Self(c).blocks_.at(memory);
    Self(c).held_bytes_[block.kind] -= block.bytes;
    Self(c).blocks_.erase(memory);
    ::operator delete(memory, kAlignment);
  };
  table_.progress = [](void*, const char*, const char*) {};
  table_.log = [](void*, int, const char*) {};
  table_.get_extension = [](void*, const char*) -> const void* { return nullptr; };
}

void RunRanks(int world_size, const std::function<void(int rank)>& body) {
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < world_size; ++rank) ranks.emplace_back(body, rank);
  for (std::thread& rank : ranks) rank.join();
}

}  // namespace zerocts
