// The processes that saved an orbax checkpoint, by the files that carry their numbers.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "conformance/plans/read/orbax/orbax_metadata.hpp"

namespace zerocts::read {

struct OrbaxProcesses {
  std::set<int> described;                    // array_metadatas/process_N is there
  std::set<int> wrote;                        // a data base of their own, ocdbt.process_N, is there
  std::map<std::string, OrbaxShapes> shapes;  // which all describe alike
  int last = -1;
};

/// Adds a fault per process between 0 and the last that described nothing, or not what the first did.
OrbaxProcesses OrbaxProcessesIn(const std::string& folder, std::vector<std::string>& faults);

/// Faults of the data bases. All processes must have written when `all_write`: a part of some array is on every device.
void JudgeDataBases(const std::string& folder, const OrbaxProcesses& processes, bool all_write,
                    std::vector<std::string>& faults);

}  // namespace zerocts::read
