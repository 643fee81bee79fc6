// For tests: a record with a value in every field.
#pragma once
#include "bench/record/record.hpp"

namespace zerocts {

inline BenchRecord FullRecord() {
  BenchRecord record{.name = "step_time/stage=2/ranks=2",
                     .value = 0.1,
                     .unit = "s",
                     .bound = RecordedBound{"memory", 0.05},
                     .samples = {0.1, 0.125, 0.0625},
                     .interval = RecordedInterval{0.09, 0.11, 0.95},
                     .timeline = {{0, "forward", 3, 0, 0.0625}, {1, "step", -1, 0.0625, 0.1}},
                     .subject = "native",
                     .parameters = {{"stage", 2}, {"model", "tiny"}, {"overlap", true}},
                     .commit = RecordedCommit{"0123abc", true, "2026-11-25T02:00:00+00:00"},
                     .compiler = {"GNU", "12.2.0", "-O3"},
                     .machine = {"00ff", "a processor", 2, int64_t{1} << 34, "performance", "6.1.0"},
                     .steal_fraction = 0.25,
                     .oversubscribed = false,
                     .date = "2026-11-25T02:48:33Z"};
  return record;
}

inline BenchRecord FailedRecord(const std::string& sentence) {
  BenchRecord record = FullRecord();
  record.value.reset();
  record.bound.reset();
  record.interval.reset();
  record.commit.reset();
  record.steal_fraction.reset();
  record.samples.clear();
  record.timeline.clear();
  record.error = sentence;
  return record;
}

}  // namespace zerocts
