#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/plans/plan_text.hpp"
#include "reference/experiment/json_dump.hpp"

namespace zerocts {

using plan::Move;
using plan::Moves;

std::string MovesText(const Moves& moves, size_t most) {
  std::vector<Move> heaviest = moves.moves;
  std::stable_sort(heaviest.begin(), heaviest.end(), [](const Move& a, const Move& b) { return a.bytes > b.bytes; });
  std::string text = heaviest.empty() ? "nothing moves\n" : fmt::format("{:>8}{:>8}{:>20}\n", "from", "to", "bytes");
  for (size_t m = 0; m < std::min(most, heaviest.size()); ++m)
    text += fmt::format("{:>8}{:>8}{:>20}  {}\n", heaviest[m].from, heaviest[m].to, heaviest[m].bytes,
                        BytesText(static_cast<double>(heaviest[m].bytes)));
  if (heaviest.size() > most) text += fmt::format("     and {} more pairs of ranks\n", heaviest.size() - most);
  text += fmt::format("{:<34}{:>20}  {}\n", "these moves", moves.total, BytesText(static_cast<double>(moves.total)));
  text += fmt::format("{:<34}{:>20}  {}\n", "the least that any reshard moves", moves.least,
                      BytesText(static_cast<double>(moves.least)));
  return text + fmt::format("{:<34}{:>20}  {}\n", "if every rank gathered everything", moves.gathered_whole,
                            BytesText(static_cast<double>(moves.gathered_whole)));
}

std::string MovesJson(const Moves& moves) {
  nlohmann::ordered_json object = {{"total", moves.total},
                                   {"least", moves.least},
                                   {"gathered_whole", moves.gathered_whole},
                                   {"moves", nlohmann::ordered_json::array()}};
  for (const Move& move : moves.moves)
    object["moves"].push_back({{"from", move.from}, {"to", move.to}, {"bytes", move.bytes}});
  return Dumped(object, 1) + "\n";
}

}  // namespace zerocts
