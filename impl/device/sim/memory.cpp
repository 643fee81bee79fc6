#include "impl/device/sim/memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "impl/device/poison.hpp"

namespace zerocts::engine {
namespace {

const char* NameOf(SimLocation location) { return location == SimLocation::kDevice ? "device" : "host"; }

size_t MappedBytes(int64_t bytes) { return std::max<size_t>(static_cast<size_t>(bytes), 1); }

std::byte* Map(int64_t bytes) {
  void* memory = mmap(nullptr, MappedBytes(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  std::memset(memory, kNaNByte, MappedBytes(bytes));
  return static_cast<std::byte*>(memory);
}

bool AllNaN(const std::byte* memory, int64_t bytes) {
  return bytes == 0 || (memory[0] == std::byte{kNaNByte} && std::memcmp(memory, memory + 1, bytes - 1) == 0);
}

}  // namespace

SimMemory::SimMemory(MemorySource& source, int64_t capacity_bytes, int64_t quarantine_bytes)
    : source_(source), capacity_bytes_(capacity_bytes), quarantine_bytes_(quarantine_bytes) {}

SimMemory::~SimMemory() {
  try {
    CheckFreed();
  } catch (const UseAfterFree& found) {
    std::fprintf(stderr, "%s\n", found.what());
  }
  for (const Block& block : freed_) munmap(block.memory, MappedBytes(block.bytes));
}

void* SimMemory::Allocate(int64_t bytes, MemoryKind kind, SimLocation location) {
  return Hold(bytes, kind, location, true);
}

void* SimMemory::AllocateUncounted(int64_t bytes) {
  return Hold(bytes, MemoryKind::kBuffer, SimLocation::kDevice, false);
}

void* SimMemory::Hold(int64_t bytes, MemoryKind kind, SimLocation location, bool counted) {
  CheckFreed();
  const std::lock_guard lock(mutex_);
  const bool on_device = location == SimLocation::kDevice;
  if (on_device && capacity_bytes_ > 0 && bytes > capacity_bytes_ - held_bytes_) {
    throw OutOfDeviceMemory("sim", bytes, kind, held_bytes_, capacity_bytes_);
  }
  void* accounted = counted ? source_.Allocate(bytes, kind) : nullptr;
  try {
    std::byte* memory = Map(bytes);
    held_[memory] = {memory, bytes, kind, location, accounted};
    if (on_device) held_bytes_ += bytes;
    return memory;
  } catch (...) {
    if (accounted) source_.Free(accounted);
    throw;
  }
}

void SimMemory::Free(void* memory) {
  if (!memory) return;
  const std::lock_guard lock(mutex_);
  const auto entry = held_.find(memory);
  if (entry == held_.end()) {
    throw std::logic_error(fmt::format("sim device: Free({}): no memory of this device that is still held", memory));
  }
  const Block block = entry->second;
  held_.erase(entry);
  if (block.accounted) source_.Free(block.accounted);
  if (block.location == SimLocation::kDevice) held_bytes_ -= block.bytes;

  if (!found_) found_ = LookThroughFreed();
  std::memset(block.memory, kNaNByte, MappedBytes(block.bytes));
  freed_.push_back(block);
  freed_bytes_ += block.bytes;
  Evict();
}

void SimMemory::CheckFreed() {
  const std::lock_guard lock(mutex_);
  if (!found_) found_ = LookThroughFreed();
  if (!found_) return;
  const std::string sentence = *found_;
  found_.reset();
  throw UseAfterFree(sentence);
}

/// A sentence about the first block that has changed. It is NaN again afterwards.
std::optional<std::string> SimMemory::LookThroughFreed() {
  for (const Block& block : freed_) {
    if (AllNaN(block.memory, block.bytes)) continue;
    const auto changed = std::find_if(block.memory, block.memory + block.bytes,
                                      [](std::byte byte) { return byte != std::byte{kNaNByte}; });
    const int64_t offset = changed - block.memory;
    std::memset(block.memory, kNaNByte, static_cast<size_t>(block.bytes));
    return fmt::format(
        "sim device: {} memory of {} bytes ({}) was written to after Free, from byte {} on: expected that the code "
        "that frees it waits for the stream that writes it",
        NameOf(block.location), block.bytes, NameOf(block.kind), offset);
  }
  return std::nullopt;
}

void SimMemory::Evict() {
  while (freed_bytes_ > quarantine_bytes_ && freed_.size() > 1) {
    freed_bytes_ -= freed_.front().bytes;
    munmap(freed_.front().memory, MappedBytes(freed_.front().bytes));
    freed_.pop_front();
  }
}

}  // namespace zerocts::engine
