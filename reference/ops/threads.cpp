// The pool. A helper enters (inside_), and only then looks whether the job is still open; the caller closes the job,
// and only then looks whether somebody is inside. One of the two sees the other, so no helper reads a job that is over.
#include "reference/ops/threads.hpp"

namespace zerocts {
namespace {

constexpr int kLooks = 1000;  // a microsecond or two: operations of a small model follow each other as fast
constexpr int kYields = 500;  // tens of microseconds: the next operation of a step comes sooner than a thread wakes up

/// Returns when value is no longer `old`: looks, then lets others run between looks, then sleeps.
template <typename T>
void AwaitChange(const std::atomic<T>& value, T old) {
  for (int look = 0; look < kLooks + kYields; ++look) {
    if (value.load() != old) return;
    if (look >= kLooks) std::this_thread::yield();
  }
  value.wait(old);
}

}  // namespace

Threads::Threads(int count) {
  for (int i = 1; i < count; ++i) helpers_.emplace_back([this] { Help(); });
}

Threads::~Threads() {
  stopping_ = true;
  ++jobs_;
  jobs_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void Threads::Run(const Job& job) {
  if (helpers_.empty() || job.pieces < 2 || taken_.exchange(true)) {
    for (int64_t piece = 0; piece < job.pieces; ++piece) job.call(job.body, piece);
    return;
  }
  job_ = job;
  next_ = 0;
  open_ = true;
  ++jobs_;
  jobs_.notify_all();
  TakePieces();
  open_ = false;
  for (int inside = inside_; inside != 0; inside = inside_) AwaitChange(inside_, inside);
  taken_ = false;
}

void Threads::TakePieces() {
  for (int64_t piece = next_++; piece < job_.pieces; piece = next_++) job_.call(job_.body, piece);
}

void Threads::Help() {
  for (uint32_t seen = 0;;) {
    AwaitChange(jobs_, seen);
    seen = jobs_;
    if (stopping_) return;
    ++inside_;
    if (open_) TakePieces();
    if (--inside_ == 0) inside_.notify_all();
  }
}

}  // namespace zerocts
