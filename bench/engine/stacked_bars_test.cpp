#include "bench/engine/stacked_bars.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace zerocts {
namespace {

StackedBars TwoBars() { return {"Title", "below", "GB", {"one", "two"}, {{"first", {1, 3}}, {"second <2>", {2, 0}}}}; }

size_t Count(const std::string& text, const std::string& what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(StackedBars, AreAsLongAsTheirPartsAndStandOnTheAxis) {
  const std::string svg = ToSvg(TwoBars());
  EXPECT_NE(svg.find("<rect x=\"250.0\" y=\"96.0\" width=\"155.0\""), std::string::npos) << "a quarter of 620 pixels";
  EXPECT_NE(svg.find("<rect x=\"405.0\" y=\"96.0\" width=\"465.0\""), std::string::npos) << "the second part follows";
  EXPECT_NE(svg.find("<rect x=\"250.0\" y=\"120.0\" width=\"310.0\""), std::string::npos) << "the same scale below";
  EXPECT_NE(svg.find(">4 GB<"), std::string::npos) << "the total";
  EXPECT_NE(svg.find("two: 3 GB"), std::string::npos) << "a part's value under the pointer";
}

TEST(StackedBars, AreOneWellFormedElementWhateverTheLabels) {
  const std::string svg = ToSvg(TwoBars());
  EXPECT_EQ(svg.find("<2>"), std::string::npos);
  EXPECT_NE(svg.find("second &lt;2&gt;"), std::string::npos);
  EXPECT_EQ(Count(svg, "<text"), Count(svg, "</text>"));
  EXPECT_TRUE(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
}

TEST(StackedBars, WithoutValuesAreHeadings) {
  StackedBars picture = TwoBars();
  picture.bars.insert(picture.bars.begin(), {"heading", {}});
  const std::string svg = ToSvg(picture);
  EXPECT_NE(svg.find("font-weight=\"bold\">heading<"), std::string::npos);
  EXPECT_NE(svg.find("y=\"120.0\" width=\"155.0\""), std::string::npos) << "the first bar is one row lower";
}

TEST(StackedBars, OfNothingAreDrawnToo) {
  EXPECT_NE(ToSvg({"t", "s", "ms", {"one"}, {{"bar", {0}}}}).find("width=\"0.0\""), std::string::npos);
}

TEST(StackedBars, RefuseWhatCannotBeDrawn) {
  for (const std::vector<double>& values : {std::vector<double>{1}, {1, -1}, {1, std::nan("")}}) {
    StackedBars picture = TwoBars();
    picture.bars[0].values = values;
    EXPECT_THROW(ToSvg(picture), std::invalid_argument);
  }
}

}  // namespace
}  // namespace zerocts
