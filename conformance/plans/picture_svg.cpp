// The picture as SVG: a colour per shard.
#include <fmt/format.h>

#include <algorithm>

#include "conformance/plans/picture.hpp"
#include "conformance/report/words/text.hpp"

namespace zerocts {
namespace {

constexpr int kLabel = 300, kWidth = 800, kRow = 16, kTop = 44, kMargin = 10, kBar = 12;
constexpr size_t kBars = 64;

std::string ColourOf(int shard, size_t shards) {
  if (shard == Picture::kNobody) return "#000";
  if (shard == Picture::kEverybody) return "#bbb";
  // Neighbours differ in lightness, so that a boundary is seen also where there are many shards.
  return fmt::format("hsl({},65%,{}%)", static_cast<size_t>(shard) * 330 / std::max<size_t>(shards, 1),
                     shard % 2 ? 62 : 45);
}

std::string Rect(double x, double y, double width, double height, const std::string& fill, const std::string& title) {
  return fmt::format(
      "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"><title>{}</title></rect>\n", x, y,
      width, height, fill, XmlText(title));
}

std::string TextAt(double x, double y, const std::string& text, const char* anchor) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, XmlText(text));
}

std::string Shortened(const std::string& label) {
  return label.size() <= 44 ? label : label.substr(0, 20) + ".." + label.substr(label.size() - 22);
}

std::string NameOfShard(int shard) {
  if (shard == Picture::kNobody) return "nobody";
  return shard == Picture::kEverybody ? "every rank" : fmt::format("shard {}", shard);
}

/// Equal cells beside each other are one rectangle.
std::string RowOf(const Picture::Row& row, size_t shards, double y) {
  std::string text = TextAt(kLabel - 6, y + kRow - 5, Shortened(row.label), "end");
  const double cell = static_cast<double>(kWidth) / static_cast<double>(std::max<size_t>(row.cells.size(), 1));
  for (size_t first = 0, end = 0; first < row.cells.size(); first = end) {
    while (end < row.cells.size() && row.cells[end] == row.cells[first]) ++end;
    text += Rect(kLabel + cell * static_cast<double>(first), y, cell * static_cast<double>(end - first), kRow - 2,
                 ColourOf(row.cells[first], shards), row.label + ": " + NameOfShard(row.cells[first]));
  }
  return text;
}

std::string BarsOf(const Picture& picture, double top) {
  int64_t longest = 1;
  for (const Picture::Shard& shard : picture.shards) longest = std::max(longest, shard.slots);
  const size_t bars = std::min(kBars, picture.shards.size());
  std::string text = TextAt(kLabel, top, "elements of each shard, padding in grey", "start");
  for (size_t b = 0; b < bars; ++b) {
    const size_t s = b * picture.shards.size() / bars;
    const Picture::Shard& shard = picture.shards[s];
    const auto width = [&](int64_t e) { return kWidth * 0.8 * static_cast<double>(e) / static_cast<double>(longest); };
    const double y = top + 8 + static_cast<double>(b) * kBar;
    text += TextAt(kLabel - 6, y + kBar - 3, fmt::format("shard {}", s), "end");
    text +=
        Rect(kLabel, y, width(shard.slots), kBar - 2, "#ccc", fmt::format("{} of padding", shard.slots - shard.held));
    text += Rect(kLabel, y, width(shard.held), kBar - 2, ColourOf(static_cast<int>(s), picture.shards.size()),
                 fmt::format("{} elements", shard.held));
    text += TextAt(kLabel + width(shard.slots) + 6, y + kBar - 3, fmt::format("{}", shard.held), "start");
  }
  return text;
}

}  // namespace

std::string PictureSvg(const Picture& picture) {
  const double bars_top = kTop + static_cast<double>(picture.rows.size()) * kRow + 24;
  std::string body = TextAt(kMargin, 22, picture.title, "start");
  for (size_t r = 0; r < picture.rows.size(); ++r)
    body += RowOf(picture.rows[r], picture.shards.size(), kTop + static_cast<double>(r) * kRow);
  if (!picture.shards.empty()) body += BarsOf(picture, bars_top);
  const double height = bars_top + static_cast<double>(std::min(kBars, picture.shards.size())) * kBar + 20;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1:.0f}\" width=\"{0}\" height=\"{1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{2}</svg>\n",
      kLabel + kWidth + kMargin, height, body);
}

}  // namespace zerocts
