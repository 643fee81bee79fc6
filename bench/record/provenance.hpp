// Where and from what a figure was measured: all that a record says beside the figure.
#pragma once
#include "bench/record/record.hpp"

namespace zerocts {

RecordedMachine MachineOfRecords();

// Describe this build, in the file that built_from.cmake writes. The commit is read when the program is linked: what it
// is rebuilt from later is another commit.
RecordedCompiler CompilerOfRecords();
std::optional<RecordedCommit> CommitOfRecords();

/// Now, in UTC: 2026-11-25T02:48:33Z.
std::string DateOfRecords();

/// What share of the processors' time other machines of the same host took, from its making on.
class StealClock {
 public:
  StealClock();
  std::optional<double> fraction() const;

 private:
  struct Ticks {
    int64_t stolen = 0, all = 0;
  };
  static std::optional<Ticks> Read();
  const std::optional<Ticks> begin_;
};

/// A record without figure: commit, compiler, machine, date. `world_size` tells whether it is oversubscribed.
BenchRecord BlankRecord(const std::string& subject, int world_size, const StealClock& steal);

}  // namespace zerocts
