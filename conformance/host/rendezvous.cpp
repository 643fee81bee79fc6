#include "conformance/host/rendezvous.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/abi/zerocts_subject.h"

namespace zerocts {

namespace {

SteadyTime After(uint32_t milliseconds) {
  return std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
}

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

RendezvousOutcome RendezvousBoard::BarrierFailed(uint32_t deadline_ms) const {
  std::set<int> missing, gone;
  for (int rank = 0; rank < world_size_; ++rank) {
    if (!arrived_.count(rank)) (left_.count(rank) ? gone : missing).insert(rank);
  }
  if (!gone.empty())
    return {ZEROCTS_DEADLINE_EXCEEDED,
            fmt::format("barrier: {} will not come, its part of the case has ended", Listed(gone)), ""};
  return {ZEROCTS_DEADLINE_EXCEEDED, fmt::format("barrier: {} did not come within {} ms", Listed(missing), deadline_ms),
          ""};
}

RendezvousOutcome RendezvousBoard::GetFailed(const std::string& key, uint32_t deadline_ms) const {
  std::string text = fmt::format("get \"{}\": nobody put it within {} ms", key, deadline_ms);
  if (!left_.empty()) text += fmt::format("; {} has ended its part of the case", Listed(left_));
  return {ZEROCTS_DEADLINE_EXCEEDED, text, ""};
}

// --- ranks as threads

class ThreadRendezvous::End : public RendezvousClient {
 public:
  End(ThreadRendezvous& shared, int rank) : shared_(shared), rank_(rank) {}

  RendezvousOutcome Put(std::string key, std::string value) override {
    RendezvousOutcome outcome;
    {
      std::lock_guard lock(shared_.mutex_);
      outcome = shared_.board_.Put(std::move(key), std::move(value));
    }
    shared_.changed_.notify_all();
    return outcome;
  }

  RendezvousOutcome Get(const std::string& key, uint64_t bytes, uint32_t deadline_ms) override {
    std::unique_lock lock(shared_.mutex_);
    const std::string* value = nullptr;
    shared_.changed_.wait_until(lock, After(deadline_ms),
                                [&] { return (value = shared_.board_.Find(key)) || shared_.board_.Alone(rank_); });
    return value ? RendezvousBoard::ValueOf(key, *value, bytes) : shared_.board_.GetFailed(key, deadline_ms);
  }

  RendezvousOutcome Barrier(uint32_t deadline_ms) override {
    std::unique_lock lock(shared_.mutex_);
    const uint64_t ticket = shared_.board_.Arrive(rank_);
    if (shared_.board_.Passed(ticket)) {
      lock.unlock();
      shared_.changed_.notify_all();
      return {};
    }
    shared_.changed_.wait_until(lock, After(deadline_ms),
                                [&] { return shared_.board_.Passed(ticket) || shared_.board_.BarrierIsHopeless(); });
    return shared_.board_.Passed(ticket) ? RendezvousOutcome{} : shared_.board_.BarrierFailed(deadline_ms);
  }

  uint64_t KeptBytes() const override {
    std::lock_guard lock(shared_.mutex_);
    return shared_.board_.kept_bytes();
  }

 private:
  ThreadRendezvous& shared_;
  int rank_;
};

void ThreadRendezvous::BeginCase(uint64_t run) {
  std::lock_guard lock(mutex_);
  if (run_ == run) return;
  run_ = run;
  board_.BeginCase();
}

void ThreadRendezvous::Leave(int rank) {
  {
    std::lock_guard lock(mutex_);
    board_.Leave(rank);
  }
  changed_.notify_all();
}

std::unique_ptr<RendezvousClient> ThreadRendezvous::RankEnd(int rank) { return std::make_unique<End>(*this, rank); }

// --- ranks as processes

void RendezvousService::BeginCase() {
  board_.BeginCase();
  waiting_.clear();
}

void RendezvousService::Put(int rank, uint64_t request, std::string key, std::string value) {
  answer_(rank, request, board_.Put(std::move(key), std::move(value)));
  AnswerWhatCanBe();
}

void RendezvousService::Get(int rank, uint64_t request, std::string key, uint64_t bytes, uint32_t deadline_ms) {
  waiting_.push_back({rank, request, deadline_ms, After(deadline_ms), false, 0, std::move(key), bytes});
  AnswerWhatCanBe();
}

void RendezvousService::Barrier(int rank, uint64_t request, uint32_t deadline_ms) {
  waiting_.push_back({rank, request, deadline_ms, After(deadline_ms), true, board_.Arrive(rank), "", 0});
  AnswerWhatCanBe();
}

void RendezvousService::Leave(int rank) {
  board_.Leave(rank);
  AnswerWhatCanBe();
}

void RendezvousService::Expire() { AnswerWhatCanBe(); }

SteadyTime RendezvousService::NextDeadline() const {
  SteadyTime next = SteadyTime::max();
  for (const Waiting& w : waiting_) next = std::min(next, w.until);
  return next;
}

void RendezvousService::AnswerWhatCanBe() {
  const SteadyTime now = std::chrono::steady_clock::now();
  std::erase_if(waiting_, [&](const Waiting& w) {
    const auto answer = [&](const RendezvousOutcome& outcome) { return answer_(w.rank, w.request, outcome), true; };
    if (w.barrier) {
      if (board_.Passed(w.ticket)) return answer({});
      if (w.until <= now || board_.BarrierIsHopeless()) return answer(board_.BarrierFailed(w.deadline_ms));
      return false;
    }
    if (const std::string* value = board_.Find(w.key)) return answer(RendezvousBoard::ValueOf(w.key, *value, w.bytes));
    if (w.until <= now || board_.Alone(w.rank)) return answer(board_.GetFailed(w.key, w.deadline_ms));
    return false;
  });
}

}  // namespace zerocts
