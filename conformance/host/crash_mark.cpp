#include "conformance/host/crash_mark.hpp"

#include <signal.h>

#include <cstdlib>
#include <mutex>

namespace zerocts {

namespace {

thread_local RankPage* page_of_this_thread = nullptr;

void OnFatalSignal(int signal_number) {
  if (page_of_this_thread) page_of_this_thread->MarkFatalSignal(signal_number);
  raise(signal_number);  // SA_RESETHAND: now with its default action
}

void OnExit() {
  if (page_of_this_thread) page_of_this_thread->MarkExit();
}

void InstallHandlers() {
  struct sigaction action {};
  action.sa_handler = OnFatalSignal;
  action.sa_flags = SA_RESETHAND | SA_NODEFER;
  for (const int signal_number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) sigaction(signal_number, &action, nullptr);
  std::atexit(OnExit);
}

}  // namespace

void MarkCrashesOn(RankPage& page) {
  static std::once_flag installed;
  std::call_once(installed, InstallHandlers);
  page_of_this_thread = &page;
}

}  // namespace zerocts
