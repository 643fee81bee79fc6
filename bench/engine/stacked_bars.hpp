// A picture of stacked horizontal bars as SVG, for a browser.
#pragma once
#include <string>
#include <vector>

namespace zerocts {

struct StackedBar {
  std::string label;
  std::vector<double> values;  // [parts], none below 0
};

struct StackedBars {
  std::string title, subtitle;
  std::string unit;                // of all values: "GB", "ms"
  std::vector<std::string> parts;  // names, from the left
  std::vector<StackedBar> bars;    // from the top; one without values is a gap with a heading
};

/// Throws std::invalid_argument when a bar has not one value per part, or one that is negative or not finite.
std::string ToSvg(const StackedBars& picture);

}  // namespace zerocts
