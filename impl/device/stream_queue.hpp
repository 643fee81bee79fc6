// A stream of the host: a thread that performs operations one after the other. Its events are moments of that order.
#pragma once
#include <functional>
#include <memory>
#include <stop_token>
#include <thread>

#include "impl/device/device.hpp"

namespace zerocts::engine {

/// An operation that throws spends the queue: what was enqueued after it is dropped, Enqueue, Record and Synchronize
/// throw what it threw, and so does the wait for an event that had not come by then. No wait has a deadline of its own:
/// it is the operations that must end. A wait within an operation for the operation's own queue throws
/// std::logic_error.
class StreamQueue {
 public:
  StreamQueue();
  /// Drops what has not begun, and a WaitFor that has; waits for an operation that has begun. Events that have not come
  /// throw std::runtime_error.
  ~StreamQueue();
  StreamQueue(const StreamQueue&) = delete;
  StreamQueue& operator=(const StreamQueue&) = delete;

  void Enqueue(std::function<void()> operation);
  Event Record();
  void WaitFor(const Event& event);
  void Synchronize();

 private:
  class State;
  class Moment;

  const std::shared_ptr<State> state_;  // events hold it too, and may outlive the queue
  std::jthread thread_;
};

}  // namespace zerocts::engine
