#include "conformance/host/conductor/store_service.hpp"

#include <algorithm>

namespace zerocts {

void StoreService::Set(int rank, uint64_t request, std::string key, std::string value) {
  answer_(rank, request, store_.Set(std::move(key), std::move(value)));
  AnswerWhatCanBe();
}

void StoreService::Get(int rank, uint64_t request, std::string key, uint64_t bytes, uint32_t deadline_ms) {
  waiting_.push_back({rank, request, deadline_ms, clock_.After(std::chrono::milliseconds(deadline_ms)), false, 0,
                      std::move(key), bytes});
  AnswerWhatCanBe();
}

void StoreService::Barrier(int rank, uint64_t request, uint32_t deadline_ms) {
  waiting_.push_back({rank, request, deadline_ms, clock_.After(std::chrono::milliseconds(deadline_ms)), true,
                      store_.Arrive(rank), "", 0});
  AnswerWhatCanBe();
}

void StoreService::Leave(int rank) {
  store_.Leave(rank);
  AnswerWhatCanBe();
}

void StoreService::Expire() { AnswerWhatCanBe(); }

RunnableTime StoreService::NextDeadline() const {
  RunnableTime next = RunnableTime::max();
  for (const Waiting& w : waiting_) next = std::min(next, w.deadline.at);
  return next;
}

void StoreService::AnswerWhatCanBe() {
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

}  // namespace zerocts
