#include "conformance/watch/live_clause.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

namespace zerocts::watch {
namespace {

std::vector<LiveClause>& Registry() {
  static std::vector<LiveClause> clauses;
  return clauses;
}

}  // namespace

RegisteredLiveClause::RegisteredLiveClause(LiveClause clause, const std::source_location& file) {
  const std::filesystem::path path = file.file_name();
  clause.file = path.parent_path().filename() / path.filename();
  const auto place = std::ranges::lower_bound(Registry(), clause.id, {}, &LiveClause::id);
  if (place != Registry().end() && place->id == clause.id)
    throw std::logic_error("two files register the clause " + clause.id);
  Registry().insert(place, std::move(clause));
}

const std::vector<LiveClause>& AllLiveClauses() { return Registry(); }

}  // namespace zerocts::watch
