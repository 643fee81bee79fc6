// All clauses and how each is checked; filled by the clauses' files before main.
#include <filesystem>
#include <map>
#include <stdexcept>
#include <utility>

#include "conformance/contract/judge.hpp"

namespace zerocts {
namespace {

struct Entry {
  Clause clause;
  ClauseCheck check;
};

/// By id.
std::map<std::string, Entry>& Registry() {
  static std::map<std::string, Entry> registry;
  return registry;
}

std::vector<Clause> Registered() {
  std::vector<Clause> all;
  for (const auto& [id, entry] : Registry()) all.push_back(entry.clause);
  return all;
}

std::string FolderOf(const std::source_location& file) {
  return std::filesystem::path(file.file_name()).parent_path().filename();
}

}  // namespace

RegisteredClause::RegisteredClause(Clause clause, CaseSpace (*space)(), Judge judge, const std::source_location& file) {
  clause.family = FolderOf(file);
  const auto own_space = [id = clause.id, fidelity = clause.fidelity, space] {
    CaseSpace own = space();
    own.clause = id;
    own.parity = fidelity == Fidelity::kSelfParity;
    return own;
  };
  const std::string id = clause.id;
  const bool is_new = Registry().emplace(id, Entry{std::move(clause), {own_space, std::move(judge)}}).second;
  if (!is_new) throw std::logic_error("two files register the clause " + id);
}

std::vector<std::string> AllClauseIds() {
  std::vector<std::string> ids;
  for (const Clause& clause : AllClauses()) ids.push_back(clause.id);
  return ids;
}

const std::vector<Clause>& AllClauses() {
  static const std::vector<Clause> all = Registered();
  return all;
}

const ClauseCheck& FindClauseCheck(const std::string& clause_id) {
  const auto found = Registry().find(clause_id);
  if (found == Registry().end()) throw std::out_of_range("no check is registered for clause '" + clause_id + "'");
  return found->second.check;
}

}  // namespace zerocts
