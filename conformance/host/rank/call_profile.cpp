#include "conformance/host/rank/call_profile.hpp"

#include <time.h>

#include "conformance/host/memory/host_memory.hpp"
#include "conformance/host/rank/rank_context.hpp"
#include "conformance/host/system/process_memory.hpp"

namespace zerocts {
namespace {

constexpr int64_t kNanoseconds = 1'000'000'000;

int64_t Nanoseconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * kNanoseconds + now.tv_nsec;
}

}  // namespace

int64_t CallClock::CpuNanoseconds() const {
  return Nanoseconds(ranks_are_threads_ ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID);
}

void CallClock::Start() {
  cpu_begin_ns_ = CpuNanoseconds();
  begin_ns_ = Nanoseconds(CLOCK_MONOTONIC);
}

void CallClock::Stop() {
  end_ns_ = Nanoseconds(CLOCK_MONOTONIC);
  cpu_ns_ = CpuNanoseconds() - cpu_begin_ns_;
}

CallTime CallClock::Take(int64_t step, const std::string& call, int micro_batch) const {
  return {step, call, micro_batch, begin_ns_, end_ns_, cpu_ns_};
}

CallProfile::CallProfile(RankContext& context)
    : context_(context), clock_(context.setting.ranks_in_process > 1), resources_(context) {
  if (context.c.observe_profile || context.c.observe_resources) context.caller.TimeBy(clock_);
}

void CallProfile::Align() {
  if (context_.c.observe_profile) context_.setting.store.Barrier(context_.deadline_ms);
}

void CallProfile::Note(const std::string& call, int micro_batch) {
  if (!context_.c.observe_profile && !context_.c.observe_resources) return;
  const CallTime time = clock_.Take(context_.caller.step(), call, micro_batch);
  if (context_.c.observe_profile) context_.observation.calls.push_back(time);
  if (context_.c.observe_resources) resources_.NoteAfter(time);
}

void CallProfile::NotePoint(const std::string& point, const MemoryReading& reported) {
  const MemoryReading allocated = context_.host.memory().held();
  Align();
  const auto held = static_cast<uint64_t>(HeldBytes()), peak = static_cast<uint64_t>(TakePeakBytes());
  const uint64_t heap = HeapBytes();  // 0: a sanitizer's allocator serves this process
  context_.observation.memory_points.push_back(
      {point, reported, allocated, held, peak, heap > 0 ? std::optional(heap) : std::nullopt});
  Align();
}

}  // namespace zerocts
