// The conductor's side of the store of a run's ranks that are processes.
#pragma once
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

  void Set(int rank, uint64_t request, std::string key, std::string value);
  void Get(int rank, uint64_t request, std::string key, uint64_t bytes, uint32_t deadline_ms);
  void Barrier(int rank, uint64_t request, uint32_t deadline_ms);
  void Leave(int rank);

  /// Answers what ran out.
  void Expire();
  /// When Expire has something to do; time_point::max() when nobody waits.
  RunnableTime NextDeadline() const;

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
  void AnswerWhatCanBe();

  Store store_;
  RunnableClock& clock_;
  Answer answer_;
  std::vector<Waiting> waiting_;
};

}  // namespace zerocts
