// How long a report for people is.
#pragma once
#include <string>

namespace zerocts {

/// How much a report for people says.
enum class Detail {
  kSummary,  // families x world sizes; a failure of each clause; of long lists what concerns most clauses
  kAll,      // clauses x world sizes; every failure and every list whole
};

}  // namespace zerocts
