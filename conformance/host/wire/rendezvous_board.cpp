#include "conformance/host/wire/rendezvous_board.hpp"

#include <fmt/format.h>

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

}  // namespace

void RendezvousBoard::BeginCase() {
  values_.clear();
  kept_bytes_ = 0;
  arrived_.clear();
  left_.clear();
}

RendezvousOutcome RendezvousBoard::Put(std::string key, std::string value) {
  const auto [place, added] = values_.try_emplace(std::move(key), std::move(value));
  if (added) {
    kept_bytes_ += place->second.capacity();
    return {};
  }
  return {ZEROCTS_INVALID_ARGUMENT,
          fmt::format("put \"{}\": expected a key that nobody has put in this case, got one that was put before; "
                      "make it unique, e.g. by step and rank",
                      place->first),
          ""};
}

const std::string* RendezvousBoard::Find(const std::string& key) const {
  const auto place = values_.find(key);
  return place == values_.end() ? nullptr : &place->second;
}

RendezvousOutcome RendezvousBoard::ValueOf(const std::string& key, const std::string& value, uint64_t bytes) {
  if (value.size() == bytes) return {ZEROCTS_OK, "", value};
  return {ZEROCTS_INVALID_ARGUMENT,
          fmt::format("get \"{}\": expected {} bytes, but {} were put", key, bytes, value.size()), ""};
}

uint64_t RendezvousBoard::Arrive(int rank) {
  const uint64_t ticket = generation_;
  arrived_.insert(rank);
  if (static_cast<int>(arrived_.size()) == world_size_) {
    arrived_.clear();
    ++generation_;
  }
  return ticket;
}

bool RendezvousBoard::Alone(int waiting) const {
  return static_cast<int>(left_.size()) - static_cast<int>(left_.count(waiting)) == world_size_ - 1;
}

bool RendezvousBoard::BarrierIsHopeless() const {
  return std::any_of(left_.begin(), left_.end(), [&](int rank) { return !arrived_.count(rank); });
}

RendezvousOutcome RendezvousBoard::BarrierFailed(uint32_t deadline_ms, const std::string& stretch) const {
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

RendezvousOutcome RendezvousBoard::GetFailed(const std::string& key, uint32_t deadline_ms,
                                             const std::string& stretch) const {
  std::string text = fmt::format("get \"{}\": nobody put it within {} ms{}", key, deadline_ms, stretch);
  if (!left_.empty()) text += fmt::format("; {} has ended its part of the case", Listed(left_));
  return {ZEROCTS_DEADLINE_EXCEEDED, text, ""};
}

}  // namespace zerocts
