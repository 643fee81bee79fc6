// A byte-pair vocabulary learned from a text: 256 bytes and the pairs that were merged, in the order of merging.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace zerocts {

class BytePairs {
 public:
  static constexpr int64_t kBytes = 256;

  /// The text is cut into words, each with the space before it; no pair crosses a cut. Time after time the pair of
  /// neighbouring tokens that occurs most often (the smallest pair among equals) becomes the next token, until there
  /// are `vocab` tokens or no pair occurs twice.
  static BytePairs Learn(std::span<const uint8_t> text, int64_t vocab);

  std::vector<int32_t> Encode(std::span<const uint8_t> text) const;
  std::vector<uint8_t> Decode(std::span<const int32_t> tokens) const;
  int64_t size() const { return kBytes + std::ssize(merges_); }

 private:
  using Pair = std::pair<int32_t, int32_t>;
  std::vector<Pair> merges_;          // merges_[i] made token 256 + i
  std::map<Pair, int32_t> token_of_;  // of each merge
};

}  // namespace zerocts
