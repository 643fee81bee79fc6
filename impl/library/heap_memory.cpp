#include "impl/library/heap_memory.hpp"

#include <new>

namespace zerocts::library {
namespace {

constexpr std::align_val_t kCacheLines{128};  // flat buffers begin with one

}  // namespace

void* HeapMemory::Allocate(int64_t bytes, engine::MemoryKind) {
  return ::operator new(static_cast<size_t>(bytes), kCacheLines);
}

void HeapMemory::Free(void* memory) { ::operator delete(memory, kCacheLines); }

}  // namespace zerocts::library
