#include "impl/cuda_on_host/memory.hpp"

#include <fmt/format.h>

#include <array>
#include <mutex>

namespace zerocts::engine::ptx {

namespace {

void RequireAligned(const char* memory, uint64_t address, int64_t bytes) {
  if ((address & static_cast<uint64_t>(bytes - 1)) == 0) return;
  throw Fault(fmt::format("{} bytes of {} memory at {:#x}: expected a multiple of {}", bytes, memory, address, bytes));
}

}  // namespace

void RequireInside(const char* memory, uint64_t address, int64_t bytes, int64_t size) {
  RequireAligned(memory, address, bytes);
  if (size < bytes || address > static_cast<uint64_t>(size - bytes)) {
    throw Fault(
        fmt::format("{} bytes of {} memory at {}: expected to stay within its {} bytes", bytes, memory, address, size));
  }
}

void GlobalMemory::Add(const void* begin, int64_t bytes) {
  const std::unique_lock lock(mutex_);
  allocations_[reinterpret_cast<uint64_t>(begin)] = bytes;
  ++changes_;
}

int64_t GlobalMemory::Remove(const void* begin) {
  const std::unique_lock lock(mutex_);
  const auto found = allocations_.find(reinterpret_cast<uint64_t>(begin));
  if (found == allocations_.end()) return -1;
  const int64_t bytes = found->second;
  allocations_.erase(found);
  ++changes_;
  return bytes;
}

/// The allocation with the address, or the nearest before it.
GlobalMemory::Allocation GlobalMemory::Find(uint64_t address, int64_t bytes) const {
  const std::shared_lock lock(mutex_);
  const auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin())
    throw Fault(fmt::format("{} bytes at {:#x}, which no allocation holds", bytes, address));
  return {std::prev(after)->first, std::prev(after)->second};
}

std::byte* GlobalMemory::Reach(uint64_t address, int64_t bytes) const {
  struct Found {
    const GlobalMemory* memory = nullptr;
    uint64_t changes = 0;
    Allocation allocation;
  };
  static thread_local std::array<Found, 8>
      found;  // by bits of the address: operands of a kernel stand in several allocations
  Found& near = found[address >> 12 & 7];
  const auto inside = [&] {
    return address - near.allocation.begin + static_cast<uint64_t>(bytes) <=
               static_cast<uint64_t>(near.allocation.bytes) &&
           address >= near.allocation.begin;
  };
  const uint64_t changes = changes_;
  if (near.memory != this || near.changes != changes || !inside()) {
    near = {this, changes, Find(address, bytes)};
    if (!inside()) {
      throw Fault(fmt::format("{} bytes at {:#x}, which is {} bytes behind an allocation of {}", bytes, address,
                              address - near.allocation.begin - static_cast<uint64_t>(near.allocation.bytes),
                              near.allocation.bytes));
    }
  }
  RequireAligned("global", address, bytes);
  return reinterpret_cast<std::byte*>(address);
}

SharedMemory::SharedMemory(int64_t bytes) : bytes_(bytes), words_((bytes + kWordBytes - 1) / kWordBytes) {}

std::byte* SharedMemory::Reach(uint64_t address, int64_t bytes, int thread, Access access) {
  RequireInside("shared", address, bytes, std::ssize(bytes_));
  const auto begin = static_cast<int64_t>(address);
  for (int64_t word = begin / kWordBytes; word * kWordBytes < begin + bytes; ++word) Note(words_[word], thread, access);
  return bytes_.data() + address;
}

void SharedMemory::Note(Word& word, int thread, Access access) const {
  const bool is_written = word.written_in == interval_, is_read = word.read_in == interval_;
  if (access != Access::kWrite && word.written_in < block_begins_)
    throw Fault("reads shared memory that nobody has written");
  if (is_written && word.writer != thread && !(access == Access::kAtomic && word.atomic)) {
    throw Fault(fmt::format("thread {} {} shared memory that thread {} wrote, with no barrier between them", thread,
                            access == Access::kRead ? "reads" : "writes", word.writer));
  }
  if (access != Access::kRead && is_read && word.reader != thread) {
    throw Fault(fmt::format("thread {} writes shared memory that {} read, with no barrier between them", thread,
                            word.reader == kSeveral ? "others" : fmt::format("thread {}", word.reader)));
  }
  if (access == Access::kRead) {
    word.reader = is_read && word.reader != thread ? kSeveral : thread;
    word.read_in = interval_;
    return;
  }
  word.atomic = access == Access::kAtomic && (!is_written || word.atomic);
  word.writer = thread;
  word.written_in = interval_;
}

}  // namespace zerocts::engine::ptx
