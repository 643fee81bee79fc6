#include "impl/device/queued_stream.hpp"

#include <utility>

namespace zerocts::engine {

QueuedStream::QueuedStream(Prelude prelude, Ops& ops) : prelude_(std::move(prelude)), ops_(ops, *this) {}

void QueuedStream::Run(std::function<void()> work, std::vector<Overwritten> overwritten) {
  if (!prelude_) {
    queue_.Enqueue(std::move(work));
    return;
  }
  queue_.Enqueue([this, work = std::move(work), overwritten = std::move(overwritten)] {
    prelude_(overwritten);
    work();
  });
}

}  // namespace zerocts::engine
