#include "conformance/host/conductor/rendezvous_service.hpp"

#include <algorithm>

namespace zerocts {

void RendezvousService::Put(int rank, uint64_t request, std::string key, std::string value) {
  answer_(rank, request, board_.Put(std::move(key), std::move(value)));
  AnswerWhatCanBe();
}

void RendezvousService::Get(int rank, uint64_t request, std::string key, uint64_t bytes, uint32_t deadline_ms) {
  waiting_.push_back({rank, request, deadline_ms, clock_.After(std::chrono::milliseconds(deadline_ms)), false, 0,
                      std::move(key), bytes});
  AnswerWhatCanBe();
}

void RendezvousService::Barrier(int rank, uint64_t request, uint32_t deadline_ms) {
  waiting_.push_back({rank, request, deadline_ms, clock_.After(std::chrono::milliseconds(deadline_ms)), true,
                      board_.Arrive(rank), "", 0});
  AnswerWhatCanBe();
}

void RendezvousService::Leave(int rank) {
  board_.Leave(rank);
  AnswerWhatCanBe();
}

void RendezvousService::Expire() { AnswerWhatCanBe(); }

RunnableTime RendezvousService::NextDeadline() const {
  RunnableTime next = RunnableTime::max();
  for (const Waiting& w : waiting_) next = std::min(next, w.deadline.at);
  return next;
}

void RendezvousService::AnswerWhatCanBe() {
  std::erase_if(waiting_, [&](const Waiting& w) {
    const auto answer = [&](const RendezvousOutcome& outcome) { return answer_(w.rank, w.request, outcome), true; };
    if (w.barrier) {
      if (board_.Passed(w.ticket)) return answer({});
      if (clock_.Passed(w.deadline.at) || board_.BarrierIsHopeless())
        return answer(board_.BarrierFailed(w.deadline_ms, clock_.Stretch(w.deadline)));
      return false;
    }
    if (const std::string* value = board_.Find(w.key)) return answer(RendezvousBoard::ValueOf(w.key, *value, w.bytes));
    if (clock_.Passed(w.deadline.at) || board_.Alone(w.rank))
      return answer(board_.GetFailed(w.key, w.deadline_ms, clock_.Stretch(w.deadline)));
    return false;
  });
}

}  // namespace zerocts
