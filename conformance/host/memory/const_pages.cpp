#include "conformance/host/memory/const_pages.hpp"

#include <sys/mman.h>

#include <cstring>
#include <stdexcept>

namespace zerocts {
namespace {

constexpr size_t kLeastChunkBytes = 256 * 1024;  // pages that nobody touches cost nothing

}  // namespace

char* ConstPages::TakeBytes(size_t bytes, const std::string& what) {
  if (sealed_) throw std::logic_error("room was asked of const pages that are sealed");
  const size_t room = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (chunks_.empty() || chunks_.back()->room() < room) {
    chunks_.push_back(std::make_unique<Chunk>(std::max(room, kLeastChunkBytes), page_));
  }
  Chunk& chunk = *chunks_.back();
  chunk.pages.Name(chunk.free, "wrote to " + what + ", which it is given const");
  std::memset(chunk.free, 0, room);  // from now on they are in memory, and no growth of a subject
  return std::exchange(chunk.free, chunk.free + room);
}

void ConstPages::Seal() { ProtectAll(PROT_READ); }

void ConstPages::Open() { ProtectAll(PROT_READ | PROT_WRITE); }

void ConstPages::ProtectAll(int protection) {
  const bool seals = (protection & PROT_WRITE) == 0;
  if (seals == sealed_) return;
  for (const auto& chunk : chunks_) chunk->pages.Protect(chunk->pages.begin(), chunk->free, protection);
  sealed_ = seals;
}

}  // namespace zerocts
