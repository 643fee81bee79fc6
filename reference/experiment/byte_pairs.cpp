#include "reference/experiment/byte_pairs.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace zerocts {
namespace {

using Word = std::vector<int32_t>;

bool IsSpace(uint8_t byte) { return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r'; }

/// visit(word) for each word of the text in order: one space at most, then bytes that are none.
template <typename Visit>
void ForEachWord(std::span<const uint8_t> text, Visit visit) {
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin + 1;
    while (end < text.size() && !IsSpace(text[end])) ++end;
    visit(text.subspan(begin, end - begin));
    begin = end;
  }
}

/// Every neighbouring left, right of the word becomes `merged`, from the front on.
void Merge(Word& word, int32_t left, int32_t right, int32_t merged) {
  size_t kept = 0;
  for (size_t i = 0; i < word.size(); ++i) {
    const bool is_pair = i + 1 < word.size() && word[i] == left && word[i + 1] == right;
    word[kept++] = is_pair ? merged : word[i];
    if (is_pair) ++i;
  }
  word.resize(kept);
}

}  // namespace

BytePairs BytePairs::Learn(std::span<const uint8_t> text, int64_t vocab) {
  std::map<Word, int64_t> occurrences;  // of distinct words
  ForEachWord(text, [&](std::span<const uint8_t> bytes) { ++occurrences[Word(bytes.begin(), bytes.end())]; });
  std::vector<std::pair<Word, int64_t>> words(occurrences.begin(), occurrences.end());

  std::map<Pair, int64_t> counts;
  const auto count = [&](const Word& word, int64_t times) {
    for (size_t i = 0; i + 1 < word.size(); ++i) {
      if ((counts[{word[i], word[i + 1]}] += times) == 0) counts.erase({word[i], word[i + 1]});
    }
  };
  for (const auto& [word, times] : words) count(word, times);

  BytePairs pairs;
  while (pairs.size() < vocab && !counts.empty()) {
    const auto most = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
    if (most->second < 2) break;
    const Pair pair = most->first;
    const auto token = static_cast<int32_t>(pairs.size());
    pairs.merges_.push_back(pair);
    pairs.token_of_[pair] = token;
    for (auto& [word, times] : words) {
      Word merged = word;
      Merge(merged, pair.first, pair.second, token);
      if (merged.size() == word.size()) continue;
      count(word, -times);
      count(merged, times);
      word = std::move(merged);
    }
  }
  return pairs;
}

std::vector<int32_t> BytePairs::Encode(std::span<const uint8_t> text) const {
  std::vector<int32_t> tokens;
  std::map<Word, Word> known;
  ForEachWord(text, [&](std::span<const uint8_t> bytes) {
    const Word plain(bytes.begin(), bytes.end());
    auto [entry, is_new] = known.try_emplace(plain, plain);
    Word& word = entry->second;
    while (is_new) {  // the pair that was learned first is merged first
      int32_t next = static_cast<int32_t>(size());
      for (size_t i = 0; i + 1 < word.size(); ++i) {
        const auto found = token_of_.find({word[i], word[i + 1]});
        if (found != token_of_.end()) next = std::min(next, found->second);
      }
      if (next == size()) break;
      Merge(word, merges_[next - kBytes].first, merges_[next - kBytes].second, next);
    }
    tokens.insert(tokens.end(), word.begin(), word.end());
  });
  return tokens;
}

std::vector<uint8_t> BytePairs::Decode(std::span<const int32_t> tokens) const {
  std::vector<uint8_t> text;
  std::vector<int32_t> open;  // to be written, the next one last
  for (const int32_t token : tokens) {
    if (token < 0 || token >= size()) {
      throw std::invalid_argument("expected tokens from 0 to " + std::to_string(size() - 1) + ", got " +
                                  std::to_string(token));
    }
    open.push_back(token);
    while (!open.empty()) {
      const int32_t top = open.back();
      open.pop_back();
      if (top < kBytes) {
        text.push_back(static_cast<uint8_t>(top));
      } else {
        open.push_back(merges_[top - kBytes].second);
        open.push_back(merges_[top - kBytes].first);
      }
    }
  }
  return text;
}

}  // namespace zerocts
