#include "conformance/host/wire/store.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>

#include "conformance/abi/zerocts_subject.h"

namespace zerocts {

namespace {

std::string Listed(const std::set<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (auto rank = ranks.begin(); rank != ranks.end(); ++rank)
    text += (rank == ranks.begin() ? "" : ", ") + std::to_string(*rank);
  return text;
}

/// What malloc took from the heap for what begins there.
uint64_t HeapChunk(const void* memory) { return malloc_usable_size(const_cast<void*>(memory)) + sizeof(size_t); }

uint64_t HeapChunk(const std::string& text) {
  return text.capacity() > std::string().capacity() ? HeapChunk(text.data()) : 0;
}

/// A node of a std::map has a color and three links before its value.
template <typename Entry>
uint64_t HeapOfNode(const Entry& entry) {
  return HeapChunk(reinterpret_cast<const char*>(&entry) - 4 * sizeof(void*));
}

}  // namespace

void Store::BeginCase() {
  values_.clear();
  kept_bytes_ = 0;
  arrived_.clear();
  left_.clear();
}

StoreOutcome Store::Set(std::string key, std::string value) {
  const auto [entry, added] = values_.try_emplace(std::move(key), std::move(value));
  if (added) {
    kept_bytes_ += HeapOfNode(*entry) + HeapChunk(entry->first) + HeapChunk(entry->second);
    return {};
  }
  return {ZEROCTS_INVALID_ARGUMENT,
          fmt::format("set \"{}\": expected a key that nobody has set in this case, got one that was set before; "
                      "make it unique, e.g. by step and rank",
                      entry->first),
          ""};
}

const std::string* Store::Find(const std::string& key) const {
  const auto entry = values_.find(key);
  return entry == values_.end() ? nullptr : &entry->second;
}

StoreOutcome Store::ValueOf(const std::string& key, const std::string& value, uint64_t bytes) {
  if (value.size() == bytes) return {ZEROCTS_OK, "", value};
  return {ZEROCTS_INVALID_ARGUMENT,
          fmt::format("get \"{}\": expected {} bytes, but {} were set", key, bytes, value.size()), ""};
}

uint64_t Store::Arrive(int rank) {
  const uint64_t ticket = generation_;
  arrived_.insert(rank);
  if (static_cast<int>(arrived_.size()) == world_size_) {
    arrived_.clear();
    ++generation_;
  }
  return ticket;
}

bool Store::Alone(int waiting) const {
  return static_cast<int>(left_.size()) - static_cast<int>(left_.count(waiting)) == world_size_ - 1;
}

bool Store::BarrierIsHopeless() const {
  return std::any_of(left_.begin(), left_.end(), [&](int rank) { return !arrived_.count(rank); });
}

StoreOutcome Store::BarrierFailed(uint32_t deadline_ms, const std::string& stretch) const {
  std::set<int> missing, gone;
  for (int rank = 0; rank < world_size_; ++rank) {
    if (!arrived_.count(rank)) (left_.count(rank) ? gone : missing).insert(rank);
  }
  if (!gone.empty())
    return {ZEROCTS_DEADLINE_EXCEEDED,
            fmt::format("barrier: {} will not come, its part of the case has ended", Listed(gone)), ""};
  return {ZEROCTS_DEADLINE_EXCEEDED,
          fmt::format("barrier: {} did not come within {} ms{}", Listed(missing), deadline_ms, stretch), ""};
}

StoreOutcome Store::GetFailed(const std::string& key, uint32_t deadline_ms, const std::string& stretch) const {
  std::string text = fmt::format("get \"{}\": nobody set it within {} ms{}", key, deadline_ms, stretch);
  if (!left_.empty()) text += fmt::format("; {} has ended its part of the case", Listed(left_));
  return {ZEROCTS_DEADLINE_EXCEEDED, text, ""};
}

}  // namespace zerocts
