#include "conformance/host/system/interrupt.hpp"

#include <fmt/format.h>
#include <string.h>

#include <atomic>
#include <iterator>

namespace zerocts {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM};
std::atomic<int> noted{0};
static_assert(std::atomic<int>::is_always_lock_free, "a handler sets it");

void Note(int signal_number) { noted = signal_number; }

}  // namespace

NotedInterrupts::NotedInterrupts() {
  noted = 0;
  struct sigaction note {};
  note.sa_handler = Note;
  note.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &note, nullptr);
  }
}

NotedInterrupts::~NotedInterrupts() {
  for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  noted = 0;
}

std::string InterruptedBy() {
  const int signal_number = noted;
  return signal_number == 0 ? "" : fmt::format("SIG{}", sigabbrev_np(signal_number));
}

void ThrowIfInterrupted() {
  if (noted != 0) throw Interrupted("interrupted by " + InterruptedBy());
}

}  // namespace zerocts
