#include "conformance/host/rank/thread_store.hpp"

namespace zerocts {

class ThreadStore::End : public StoreClient {
 public:
  End(ThreadStore& shared, int rank) : shared_(shared), rank_(rank) {}

  StoreOutcome Set(std::string key, std::string value) override {
    StoreOutcome outcome;
    {
      std::lock_guard lock(shared_.mutex_);
      outcome = shared_.store_.Set(std::move(key), std::move(value));
    }
    shared_.changed_.notify_all();
    return outcome;
  }

  StoreOutcome Get(const std::string& key, uint64_t bytes, uint32_t deadline_ms) override {
    std::unique_lock lock(shared_.mutex_);
    const std::string* value = nullptr;
    const Deadline deadline = shared_.Await(
        lock, deadline_ms, [&] { return (value = shared_.store_.Find(key)) || shared_.store_.Alone(rank_); });
    return value ? Store::ValueOf(key, *value, bytes)
                 : shared_.store_.GetFailed(key, deadline_ms, shared_.clock_.Stretch(deadline));
  }

  StoreOutcome Barrier(uint32_t deadline_ms) override {
    std::unique_lock lock(shared_.mutex_);
    const uint64_t ticket = shared_.store_.Arrive(rank_);
    if (shared_.store_.Passed(ticket)) {
      lock.unlock();
      shared_.changed_.notify_all();
      return {};
    }
    const Deadline deadline = shared_.Await(
        lock, deadline_ms, [&] { return shared_.store_.Passed(ticket) || shared_.store_.BarrierIsHopeless(); });
    return shared_.store_.Passed(ticket) ? StoreOutcome{}
                                         : shared_.store_.BarrierFailed(deadline_ms, shared_.clock_.Stretch(deadline));
  }

  uint64_t KeptBytes() const override {
    std::lock_guard lock(shared_.mutex_);
    return shared_.store_.kept_bytes();
  }

 private:
  ThreadStore& shared_;
  int rank_;
};

template <typename Done>
Deadline ThreadStore::Await(std::unique_lock<std::mutex>& lock, uint32_t deadline_ms, Done done) {
  const Deadline deadline = clock_.After(std::chrono::milliseconds(deadline_ms));
  while (!done() && !clock_.Passed(deadline.at)) {
    const SteadyTime due = clock_.SleepUntil(deadline.at);
    if (changed_.wait_until(lock, due) == std::cv_status::timeout) clock_.Woke(due);
  }
  return deadline;
}

void ThreadStore::BeginCase(uint64_t run) {
  std::lock_guard lock(mutex_);
  if (run_ == run) return;
  run_ = run;
  store_.BeginCase();
}

void ThreadStore::Leave(int rank) {
  {
    std::lock_guard lock(mutex_);
    store_.Leave(rank);
  }
  changed_.notify_all();
}

std::unique_ptr<StoreClient> ThreadStore::RankEnd(int rank) { return std::make_unique<End>(*this, rank); }

}  // namespace zerocts
