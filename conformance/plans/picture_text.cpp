// The picture on a terminal: a letter per shard.
#include <fmt/format.h>

#include <algorithm>

#include "conformance/plans/picture.hpp"
#include "conformance/report/words/text.hpp"
#include "reference/plan/value/optimizer_shard.hpp"

namespace zerocts {
namespace {

constexpr std::string_view kLetters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr int kTextBars = 16, kBarWidth = 50;

char LetterOf(int shard, size_t shards) {
  if (shard == Picture::kNobody) return '!';
  if (shard == Picture::kEverybody) return '*';
  const size_t groups = std::min(shards, kLetters.size());
  return kLetters[static_cast<size_t>(shard) * groups / std::max<size_t>(shards, 1)];
}

/// With more shards than letters, neighbours share one.
std::string MeaningOfLetter(size_t shards) {
  const size_t least = shards / kLetters.size();
  if (shards <= kLetters.size()) return "a letter is a shard";
  const std::string most = shards % kLetters.size() == 0 ? "" : fmt::format(" or {}", least + 1);
  return fmt::format("a letter is {}{} neighbouring shards", least, most);
}

std::string Shortened(const std::string& label, size_t width) {
  const std::string printable = PrintableLine(label);
  return printable.size() <= width ? printable : printable.substr(0, width - 2) + "..";
}

std::string BarsOf(const Picture& picture) {
  int64_t longest = 1;
  for (const Picture::Shard& shard : picture.shards) longest = std::max(longest, shard.slots);
  const auto shards = static_cast<int64_t>(picture.shards.size()), bars = std::min<int64_t>(kTextBars, shards);
  std::string text;
  for (int64_t b = 0; b < bars; ++b) {
    const int64_t first = EvenBegin(shards, bars, b), end = EvenBegin(shards, bars, b + 1);
    Picture::Shard most;  // of those that share the bar
    for (int64_t s = first; s < end; ++s) most.held = std::max(most.held, picture.shards[s].held);
    for (int64_t s = first; s < end; ++s) most.slots = std::max(most.slots, picture.shards[s].slots);
    const auto width = [&](int64_t elements) {
      return static_cast<int>(static_cast<double>(elements) / static_cast<double>(longest) * kBarWidth);
    };
    const std::string name =
        end - first == 1 ? fmt::format("shard {}", first) : fmt::format("shards {}-{}", first, end - 1);
    text += fmt::format("{:>18} {}{} {}", name, std::string(width(most.held), '#'),
                        std::string(width(most.slots) - width(most.held), '.'), most.held);
    text += most.slots > most.held ? fmt::format(" + {} of padding\n", most.slots - most.held) : "\n";
  }
  return text;
}

}  // namespace

std::string PictureText(const Picture& picture) {
  std::string text = picture.title + "\n\n";
  for (const Picture::Row& row : picture.rows) {
    text += fmt::format("{:>34} ", Shortened(row.label, 34));
    for (const int shard : row.cells) text += LetterOf(shard, picture.shards.size());
    text += '\n';
  }
  text += fmt::format("\n{}, * every rank, ! nobody; elements run from left to right\n",
                      MeaningOfLetter(picture.shards.size()));
  return picture.shards.empty()
             ? text
             : text + "\n" + BarsOf(picture) + "\n# held by each rank of a shard, . padding; in elements\n";
}

}  // namespace zerocts
