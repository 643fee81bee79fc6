// Time of an operation. On one thread it is the time that the thread had a core, so that other programs disturb less.
#pragma once
#include <chrono>
#include <ctime>

namespace zerocts {

inline double Now(int threads) {
  if (threads > 1) return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

template <typename Operation>
double SecondsOf(int threads, const Operation& operation) {
  const double begin = Now(threads);
  operation();
  return Now(threads) - begin;
}

}  // namespace zerocts
