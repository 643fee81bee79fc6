// A stream that does nothing until it is synchronised, and poisons what an operation is to overwrite: so a collective
// that happens too early, keeps a reference to what the caller has changed since, or reads what it said it would not,
// shows.
#pragma once
#include <cstring>
#include <deque>
#include <utility>

#include "impl/device/device.hpp"

namespace zerocts::engine {

class LateStream : public DeviceStream {
 public:
  Ops& ops() override { return HostOps(); }
  void Run(std::function<void()> work, std::vector<Overwritten> overwritten) override {
    work_.push_back([work = std::move(work), overwritten = std::move(overwritten)] {
      for (const Overwritten& o : overwritten) std::memset(o.memory, 0xff, static_cast<size_t>(o.bytes));
      work();
    });
  }
  Event Record() override { return nullptr; }
  void WaitFor(const Event&) override {}
  void Synchronize() override {
    for (; !work_.empty(); work_.pop_front()) work_.front()();
  }

 private:
  std::deque<std::function<void()>> work_;
};

}  // namespace zerocts::engine
