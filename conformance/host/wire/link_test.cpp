#include "conformance/host/wire/link.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>

namespace zerocts {
namespace {

constexpr int kMessages = 20'000;

void Ignore(int) {}

/// Each tenth of a millisecond a signal that interrupts what waits.
class ManySignals {
 public:
  ManySignals() {
    struct sigaction action {};
    action.sa_handler = Ignore;
    sigaction(SIGALRM, &action, &before_);
    Set(100);
  }
  ~ManySignals() {
    Set(0);
    sigaction(SIGALRM, &before_, nullptr);
  }

 private:
  static void Set(int microseconds) {
    const itimerval timer{{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_REAL, &timer, nullptr);
  }
  struct sigaction before_ {};
};

TEST(Frames, ArriveWhileSignalsDo) {
  zmq::context_t context;
  zmq::socket_t here(context, zmq::socket_type::pair), there(context, zmq::socket_type::pair);
  here.set(zmq::sockopt::sndhwm, 0);
  here.bind("inproc://link_test");
  there.connect("inproc://link_test");
  const ManySignals signals;
  for (int i = 0; i < kMessages; ++i) {
    SendFrames(here, {"frame", std::to_string(i)});
    const Received received = ReceiveFrames(there);
    ASSERT_EQ(received.size(), 2u);
    ASSERT_EQ(received[1].to_string_view(), std::to_string(i));
  }
}

}  // namespace
}  // namespace zerocts
