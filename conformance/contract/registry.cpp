// All clauses and how each is checked; filled by the clauses' files before main.
#include <algorithm>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <utility>

#include "conformance/cases/drawing/draw_case.hpp"
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
  for (const auto& [id, entry] : Registry()) {
    const CaseSpace space = entry.check.space();  // throws if it makes no sense
    all.push_back(entry.clause);
    all.back().or_bounded = !space.or_bounded.empty();
  }
  return all;
}

/// Figures are bounded on any inputs, values in real training alone.
Fidelity OfCases(const Clause& clause) {
  const bool trains = std::ranges::count(clause.features, "real_training") > 0;
  const bool sets_it = clause.fidelity == Fidelity::kSelfParity || (clause.fidelity == Fidelity::kBounded && trains);
  return sets_it ? clause.fidelity : Fidelity::kBitwise;
}

/// For when main has begun: before it the table of dimensions need not stand.
void RequireSense(const CaseSpace& space) {
  const std::string problem = Problem(space);
  if (!problem.empty()) throw std::logic_error("the space of clause " + space.clause + ": " + problem);
}

}  // namespace

RegisteredClause::RegisteredClause(Clause clause, CaseSpace (*space)(), Judge judge, const std::source_location& file) {
  const std::filesystem::path path = file.file_name();
  clause.family = path.parent_path().filename();
  clause.file = std::filesystem::path(clause.family) / path.filename();
  const auto own_space = [id = clause.id, fidelity = OfCases(clause), space] {
    CaseSpace own = space();
    if (own.fidelity != CaseSpace().fidelity)
      throw std::logic_error(id + ": its space has a fidelity beside its text's");
    own.clause = id;
    own.fidelity = fidelity;
    RequireSense(own);
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
