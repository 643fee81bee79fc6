#include "impl/device/stream_queue.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

namespace zerocts::engine {
namespace {

constexpr int64_t kNobodyWaits = INT64_MAX;

}  // namespace

/// The operations and how far the thread has come. A moment is the number of operations that happen before it.
/// Who is woken finds the lock free: notifications come after it is released.
class StreamQueue::State {
 public:
  void Enqueue(std::function<void()> operation) {
    {
      const std::lock_guard lock(mutex_);
      ThrowIfSpent();
      operations_.push_back(std::move(operation));
      ++enqueued_;
    }
    more_.notify_one();
  }

  int64_t LastMoment() const {
    const std::lock_guard lock(mutex_);
    ThrowIfSpent();
    return enqueued_;
  }

  bool HasCome(int64_t moment) const {
    const std::lock_guard lock(mutex_);
    return happened_ >= moment;
  }

  /// Throws what spent the queue before `moment`, and std::runtime_error when `stop` was requested before it.
  void Await(int64_t moment, const std::stop_token& stop = {}) const {
    const std::stop_callback wake(stop, [this] { WakeAll(progressed_); });
    std::unique_lock lock(mutex_);
    if (happened_ < moment && thread_ == std::this_thread::get_id()) {
      throw std::logic_error("an operation of a stream waits for its own stream: this would never end");
    }
    while (happened_ < moment && !spent_ && !stop.stop_requested()) {
      awaited_ = std::min(awaited_, moment);
      progressed_.wait(lock);
    }
    if (happened_ >= moment) return;
    ThrowIfSpent();
    throw std::runtime_error("the stream was destroyed while it waited for an event of another stream");
  }

  /// Performs operations until `stop` is requested or one throws.
  void Perform(const std::stop_token& stop) {
    NoteThread();
    const std::stop_callback wake(stop, [this] { WakeAll(more_); });
    while (std::optional<std::function<void()>> operation = Next(stop)) {
      try {
        (*operation)();
        *operation = nullptr;  // what it captured is gone when its moment has come
      } catch (...) {
        Spend(std::current_exception());
        return;
      }
      if (AwaitedMomentComes()) progressed_.notify_all();
    }
  }

  /// Nothing further happens, because of `reason` unless there is an earlier one.
  void Spend(std::exception_ptr reason) {
    std::deque<std::function<void()>> dropped;  // destroyed outside the lock: captures may be anything
    {
      const std::lock_guard lock(mutex_);
      if (!spent_) spent_ = std::move(reason);
      dropped.swap(operations_);
    }
    progressed_.notify_all();
  }

 private:
  void NoteThread() {
    const std::lock_guard lock(mutex_);
    thread_ = std::this_thread::get_id();
  }

  /// Waits for an operation; none once `stop` is requested.
  std::optional<std::function<void()>> Next(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    more_.wait(lock, [&] { return !operations_.empty() || stop.stop_requested(); });
    if (stop.stop_requested()) return std::nullopt;
    std::function<void()> next = std::move(operations_.front());
    operations_.pop_front();
    return next;
  }

  /// One operation more has happened: does anybody wait for just this moment? Others sleep on.
  bool AwaitedMomentComes() {
    const std::lock_guard lock(mutex_);
    if (++happened_ < awaited_) return false;
    awaited_ = kNobodyWaits;
    return true;
  }

  /// Nobody is between looking at what it waits for and sleeping while the lock is held.
  void WakeAll(std::condition_variable& sleepers) const {
    { const std::lock_guard lock(mutex_); }
    sleepers.notify_all();
  }

  void ThrowIfSpent() const {
    if (spent_) std::rethrow_exception(spent_);
  }

  mutable std::mutex mutex_;
  std::condition_variable more_;
  mutable std::condition_variable progressed_;
  std::deque<std::function<void()>> operations_;
  int64_t enqueued_ = 0, happened_ = 0;
  mutable int64_t awaited_ = kNobodyWaits;  // the first moment that somebody waits for
  std::exception_ptr spent_;
  std::thread::id thread_;
};

class StreamQueue::Moment : public StreamEvent {
 public:
  Moment(std::shared_ptr<const State> state, int64_t moment) : state_(std::move(state)), moment_(moment) {}
  void Synchronize() const override { state_->Await(moment_); }
  void Await(const std::stop_token& stop) const { state_->Await(moment_, stop); }
  bool IsOf(const State* state) const { return state_.get() == state; }

 private:
  const std::shared_ptr<const State> state_;
  const int64_t moment_;
};

StreamQueue::StreamQueue()
    : state_(std::make_shared<State>()),
      thread_([state = state_](const std::stop_token& stop) { state->Perform(stop); }) {}

StreamQueue::~StreamQueue() {
  thread_.request_stop();
  thread_.join();
  state_->Spend(std::make_exception_ptr(std::runtime_error("the stream was destroyed before this event came")));
}

void StreamQueue::Enqueue(std::function<void()> operation) { state_->Enqueue(std::move(operation)); }

Event StreamQueue::Record() {
  const int64_t moment = state_->LastMoment();
  return state_->HasCome(moment) ? nullptr : std::make_shared<Moment>(state_, moment);
}

void StreamQueue::WaitFor(const Event& event) {
  const auto moment = std::dynamic_pointer_cast<const Moment>(event);
  if (!event || (moment && moment->IsOf(state_.get()))) return;
  if (moment) {
    Enqueue([moment, stop = thread_.get_stop_token()] { moment->Await(stop); });
  } else {
    Enqueue([event] { event->Synchronize(); });
  }
}

void StreamQueue::Synchronize() { state_->Await(state_->LastMoment()); }

}  // namespace zerocts::engine
