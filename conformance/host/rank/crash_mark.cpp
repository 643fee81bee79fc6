#include "conformance/host/rank/crash_mark.hpp"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "conformance/host/memory/guarded_pages.hpp"

namespace zerocts {

namespace {

thread_local RankPage* page_of_this_thread = nullptr;
std::array<struct sigaction, NSIG> before{};  // by signal: a sanitizer's or a communication library's

/// The instruction that ran into it does so again when a handler returns.
bool IsFault(int signal_number, const siginfo_t& info) {
  return info.si_code > 0 &&
         (signal_number == SIGSEGV || signal_number == SIGBUS || signal_number == SIGFPE || signal_number == SIGILL);
}

void OnFatalSignal(int signal_number, siginfo_t* info, void*) {
  if (signal_number == SIGSEGV && IsFault(signal_number, *info)) MarkStruck(info->si_addr);
  if (page_of_this_thread) page_of_this_thread->MarkFatalSignal(signal_number);
  sigaction(signal_number, &before[signal_number], nullptr);
  if (!IsFault(signal_number, *info)) raise(signal_number);
}

/// Nothing where no rank runs on this thread.
void EndWithRank(int status) {
  if (!page_of_this_thread) return;
  page_of_this_thread->MarkExit();
  std::fflush(stdout);
  _exit(status);
}

/// For what the C library calls itself, as errx does: after those handlers that were registered later.
void OnExit(int status, void*) { EndWithRank(status); }

void InstallHandlers() {
  struct sigaction action {};
  action.sa_sigaction = OnFatalSignal;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  for (const int signal_number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS})
    sigaction(signal_number, &action, &before[signal_number]);
  on_exit(OnExit, nullptr);
}

}  // namespace

void NameCrashes() {
  static std::once_flag installed;
  std::call_once(installed, InstallHandlers);
}

void MarkCrashesOn(RankPage& page) {
  NameCrashes();
  page_of_this_thread = &page;
}

}  // namespace zerocts

/// The program's own, which libraries of the process call in place of the C library's: a rank's exit ends the process
/// before handlers and destructors, those made since too, take from the threads of other ranks what they use.
__attribute__((visibility("default"))) void exit(int status) {
  zerocts::EndWithRank(status);
  reinterpret_cast<void (*)(int)>(dlsym(RTLD_NEXT, "exit"))(status);
  __builtin_unreachable();
}
