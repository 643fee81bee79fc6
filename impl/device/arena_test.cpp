#include "impl/device/arena.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <vector>

namespace zerocts::engine {
namespace {

constexpr int64_t kUnit = Arena::kAlignment, kBlock = 8 * kUnit;

/// Gives addresses and no memory: an arena touches none.
struct Addresses : BlockSource {
  explicit Addresses(int64_t room = INT64_MAX) : room(room) {}
  void* Take(int64_t bytes) override {
    if (bytes > room) return nullptr;
    room -= bytes;
    ++taken;
    void* block = reinterpret_cast<void*>(next += int64_t{1} << 32);
    held[block] = bytes;
    return block;
  }
  void Return(void* block) override {
    room += held.at(block);
    held.erase(block);
  }
  int64_t room, next = 0;
  int taken = 0;
  std::map<void*, int64_t> held;
};

/// The same by looking at every unit.
class Model {
 public:
  explicit Model(int64_t room) : source_(room) {}

  void* Allocate(int64_t bytes) {
    const int64_t units = std::max<int64_t>((bytes + kUnit - 1) / kUnit, 1);
    if (void* piece = FirstFit(units)) return piece;
    if (TakeBlock(std::max(units, kBlock / kUnit)) || (ReturnUnused(), TakeBlock(std::max(units, kBlock / kUnit))) ||
        TakeBlock(units)) {
      return FirstFit(units);
    }
    return nullptr;
  }
  void Free(void* piece) {
    for (auto& block : blocks_)
      std::replace(block.owner.begin(), block.owner.end(), piece, static_cast<void*>(nullptr));
  }
  int64_t block_bytes() const {
    int64_t sum = 0;
    for (const auto& block : blocks_) sum += std::ssize(block.owner) * kUnit;
    return sum;
  }

 private:
  struct Block {
    std::byte* begin;
    std::vector<void*> owner;  // of each unit; nullptr: free
  };

  void* FirstFit(int64_t units) {
    for (auto& [begin, owner] : blocks_) {
      for (int64_t first = 0; first + units <= std::ssize(owner); ++first) {
        const auto from = owner.begin() + first;
        if (std::count(from, from + units, nullptr) != units) continue;
        std::fill(from, from + units, begin + first * kUnit);
        return begin + first * kUnit;
      }
    }
    return nullptr;
  }
  bool TakeBlock(int64_t units) {
    auto* begin = static_cast<std::byte*>(source_.Take(units * kUnit));
    if (begin) blocks_.push_back({begin, std::vector<void*>(static_cast<size_t>(units), nullptr)});
    return begin != nullptr;
  }
  void ReturnUnused() {
    std::erase_if(blocks_, [&](const Block& block) {
      const bool unused = std::count(block.owner.begin(), block.owner.end(), nullptr) == std::ssize(block.owner);
      if (unused) source_.Return(block.begin);
      return unused;
    });
  }

  Addresses source_;
  std::vector<Block> blocks_;
};

RC_GTEST_PROP(Arena, GivesWhatAModelGives, ()) {
  const int64_t room = *rc::gen::element<int64_t>(0, 3 * kBlock, 5 * kBlock + kUnit, INT64_MAX);
  Addresses source(room);
  Arena arena(source, kBlock);
  Model model(room);
  std::vector<void*> held;
  const auto steps = *rc::gen::container<std::vector<std::pair<bool, int64_t>>>(
      rc::gen::pair(rc::gen::arbitrary<bool>(), rc::gen::inRange<int64_t>(0, 3 * kBlock)));
  bool gave_up = false, reused = false;
  std::set<void*> freed;
  for (const auto& [frees, number] : steps) {
    if (frees && !held.empty()) {
      const auto piece = held.begin() + number % std::ssize(held);
      arena.Free(*piece);
      model.Free(*piece);
      freed.insert(*piece);
      held.erase(piece);
    } else {
      const int64_t bytes = number % 2 == 0 ? number : number % (3 * kUnit);
      void* piece = arena.Allocate(bytes);
      RC_ASSERT((piece == model.Allocate(bytes)));
      gave_up |= !piece;
      reused |= freed.contains(piece);
      if (piece) held.push_back(piece);
    }
    RC_ASSERT(arena.block_bytes() == model.block_bytes());
  }
  RC_CLASSIFY(gave_up);
  RC_CLASSIFY(reused);
}

TEST(Arena, OneBlockServesManyPiecesAndAgainWhenTheyAreFreed) {
  Addresses source;
  Arena arena(source);
  std::vector<void*> first, second;
  for (const int64_t bytes : {1, 0, 1000, 4097}) first.push_back(arena.Allocate(bytes));
  EXPECT_EQ(std::set<void*>(first.begin(), first.end()).size(), 4u);
  for (void* piece : first) arena.Free(piece);
  for (const int64_t bytes : {1, 0, 1000, 4097}) second.push_back(arena.Allocate(bytes));
  EXPECT_EQ(first, second);
  EXPECT_EQ(source.taken, 1);
  EXPECT_EQ(arena.block_bytes(), Arena::kBlockBytes);
}

TEST(Arena, APieceThatIsLargerThanABlockHasItsOwn) {
  Addresses source;
  Arena arena(source, kBlock);
  arena.Allocate(1);
  EXPECT_NE(arena.Allocate(5 * kBlock + 1), nullptr);
  EXPECT_EQ(arena.block_bytes(), 6 * kBlock + kUnit);
}

TEST(Arena, BlocksThatNobodyUsesGoBackBeforeItGivesUp) {
  Addresses source(3 * kBlock);
  Arena arena(source, kBlock);
  void* kept = arena.Allocate(kBlock);
  arena.Free(arena.Allocate(kBlock));
  EXPECT_EQ(arena.block_bytes(), 2 * kBlock);  // cached
  EXPECT_NE(arena.Allocate(2 * kBlock), nullptr);
  EXPECT_EQ(source.held.size(), 2u);
  EXPECT_EQ(arena.Allocate(1), nullptr);
  arena.Free(kept);
  EXPECT_NE(arena.Allocate(1), nullptr);
}

TEST(Arena, TheLastRoomServesAPieceThoughItIsNoWholeBlock) {
  Addresses source(kBlock + kUnit);
  Arena arena(source, kBlock);
  EXPECT_NE(arena.Allocate(kBlock), nullptr);
  EXPECT_NE(arena.Allocate(kUnit), nullptr);
}

TEST(Arena, ItsEndReturnsEveryBlock) {
  Addresses source;
  {
    Arena arena(source, kBlock);
    for (int i = 0; i < 20; ++i) arena.Allocate(kUnit);
    EXPECT_EQ(source.held.size(), 3u);
  }
  EXPECT_TRUE(source.held.empty());
}

TEST(Arena, WhatItDoesNotHoldCannotBeFreed) {
  Addresses source;
  Arena arena(source, kBlock);
  void* piece = arena.Allocate(3);
  arena.Free(piece);
  EXPECT_THROW(arena.Free(piece), std::logic_error);
}

}  // namespace
}  // namespace zerocts::engine
