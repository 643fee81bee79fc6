// A plan as a picture of at most so many rows and columns: parameters from top to bottom, their elements from left to
// right, each cell the shard that holds its middle element. Many parameters share a row.
#pragma once
#include <string>
#include <vector>

#include "reference/plan/value/plan.hpp"

namespace zerocts {

struct Picture {
  struct Row {
    std::string label;       // "w" or "w .. z (12 parameters)"
    std::vector<int> cells;  // shards
  };
  struct Shard {
    int64_t held = 0, slots = 0;  // elements, and those with padding
  };
  static constexpr int kNobody = -1, kEverybody = -2;

  std::string title;
  std::vector<Row> rows;
  std::vector<Shard> shards;  // of one replica
};

Picture PictureOf(const plan::Plan& plan, plan::State state, int rows, int columns);

std::string PictureText(const Picture& picture);
std::string PictureSvg(const Picture& picture);

}  // namespace zerocts
