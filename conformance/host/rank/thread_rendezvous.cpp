#include "conformance/host/rank/thread_rendezvous.hpp"

namespace zerocts {

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
    const Deadline deadline = shared_.Await(
        lock, deadline_ms, [&] { return (value = shared_.board_.Find(key)) || shared_.board_.Alone(rank_); });
    return value ? RendezvousBoard::ValueOf(key, *value, bytes)
                 : shared_.board_.GetFailed(key, deadline_ms, shared_.clock_.Stretch(deadline));
  }

  RendezvousOutcome Barrier(uint32_t deadline_ms) override {
    std::unique_lock lock(shared_.mutex_);
    const uint64_t ticket = shared_.board_.Arrive(rank_);
    if (shared_.board_.Passed(ticket)) {
      lock.unlock();
      shared_.changed_.notify_all();
      return {};
    }
    const Deadline deadline = shared_.Await(
        lock, deadline_ms, [&] { return shared_.board_.Passed(ticket) || shared_.board_.BarrierIsHopeless(); });
    return shared_.board_.Passed(ticket) ? RendezvousOutcome{}
                                         : shared_.board_.BarrierFailed(deadline_ms, shared_.clock_.Stretch(deadline));
  }

  uint64_t KeptBytes() const override {
    std::lock_guard lock(shared_.mutex_);
    return shared_.board_.kept_bytes();
  }

 private:
  ThreadRendezvous& shared_;
  int rank_;
};

template <typename Done>
Deadline ThreadRendezvous::Await(std::unique_lock<std::mutex>& lock, uint32_t deadline_ms, Done done) {
  const Deadline deadline = clock_.After(std::chrono::milliseconds(deadline_ms));
  while (!done() && !clock_.Passed(deadline.at)) {
    const SteadyTime due = clock_.SleepUntil(deadline.at);
    if (changed_.wait_until(lock, due) == std::cv_status::timeout) clock_.Woke(due);
  }
  return deadline;
}

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

}  // namespace zerocts
