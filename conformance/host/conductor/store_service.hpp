// The conductor's side of the store of a run's ranks that are processes.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/host/system/runnable_clock.hpp"
#include "conformance/host/wire/store.hpp"

namespace zerocts {

/// Requests come in, answers go out, at once or when something changed or
/// ran out.
class StoreService {
 public:
  using Answer = std::function<void(int rank, uint64_t request, const StoreOutcome& outcome)>;
  StoreService(int world_size, RunnableClock& clock, Answer answer)
      : store_(world_size), clock_(clock), answer_(std::move(answer)) {}

  void Set(int rank, uint64_t request, std::string key, std::string value) {
    answer_(rank, request, store_.Set(std::move(key), std::move(value)));
    AnswerWhatCanBe();
  }
  void Get(int rank, uint64_t request, std::string key, uint64_t bytes, uint32_t deadline_ms) {
    waiting_.push_back({rank, request, deadline_ms, clock_.After(std::chrono::milliseconds(deadline_ms)), false, 0,
                        std::move(key), bytes});
    AnswerWhatCanBe();
  }
  void Barrier(int rank, uint64_t request, uint32_t deadline_ms) {
    waiting_.push_back({rank, request, deadline_ms, clock_.After(std::chrono::milliseconds(deadline_ms)), true,
                        store_.Arrive(rank), "", 0});
    AnswerWhatCanBe();
  }
  void Leave(int rank) {
    store_.Leave(rank);
    AnswerWhatCanBe();
  }

  /// Answers what ran out.
  void Expire() { AnswerWhatCanBe(); }
  /// When Expire has something to do; time_point::max() when nobody waits.
  RunnableTime NextDeadline() const {
    RunnableTime next = RunnableTime::max();
    for (const Waiting& w : waiting_) next = std::min(next, w.deadline.at);
    return next;
  }

 private:
  struct Waiting {
    int rank = 0;
    uint64_t request = 0;
    uint32_t deadline_ms = 0;
    Deadline deadline;
    bool barrier = false;
    uint64_t ticket = 0;  // barrier
    std::string key;      // get
    uint64_t bytes = 0;   // get
  };
  void AnswerWhatCanBe() {
    std::erase_if(waiting_, [&](const Waiting& w) {
      const auto answer = [&](const StoreOutcome& outcome) { return answer_(w.rank, w.request, outcome), true; };
      if (w.barrier) {
        if (store_.Passed(w.ticket)) return answer({});
        if (clock_.Passed(w.deadline.at) || store_.BarrierIsHopeless())
          return answer(store_.BarrierFailed(w.deadline_ms, clock_.Stretch(w.deadline)));
        return false;
      }
      if (const std::string* value = store_.Find(w.key)) return answer(Store::ValueOf(w.key, *value, w.bytes));
      if (clock_.Passed(w.deadline.at) || store_.Alone(w.rank))
        return answer(store_.GetFailed(w.key, w.deadline_ms, clock_.Stretch(w.deadline)));
      return false;
    });
  }

  Store store_;
  RunnableClock& clock_;
  Answer answer_;
  std::vector<Waiting> waiting_;
};

}  // namespace zerocts
