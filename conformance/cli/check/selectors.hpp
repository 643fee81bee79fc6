// Which clauses do the words of the command line select?
#pragma once
#include <map>
#include <string>
#include <vector>

#include "conformance/contract/clause.hpp"
#include "conformance/contract/profiles.hpp"

namespace zerocts {

/// Upper and lower case, '-' and '_' are the same: C-ZERO-001 and c_zero_001.
bool SameName(const std::string& a, const std::string& b);

/// By its id, or by its number as its file has it: C-ZERO-020, 020, reduction/020.
bool Names(const std::string& word, const Clause& clause);

/// Clauses named so, or by family, in the contract's order, each once; no word
/// selects all. Throws UsageError for a word that matches nothing, with the nearest names, or with the option that it
/// is a value of: {"smoke": "--tier smoke"}.
std::vector<Clause> SelectClauses(const std::vector<std::string>& words, const std::vector<Clause>& clauses,
                                  const std::map<std::string, std::string>& options = {});

/// Shard I of N, written I/N: every Nth of `clauses` from the Ith, so that the long ones of a family are spread. The
/// shards of a check have each clause once. Throws UsageError for what is no shard, and for more shards than clauses.
std::vector<Clause> OfShard(const std::string& shard, const std::vector<Clause>& clauses);

/// Profiles by name, each once, in the order given. Throws UsageError as above.
std::vector<std::string> SelectProfiles(const std::vector<std::string>& words, const std::vector<Profile>& profiles);

}  // namespace zerocts
