#include "bench/engine/stacked_bars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace zerocts {
namespace {

// Pixels.
constexpr int kLeft = 250, kBars = 620, kRight = 110, kTop = 96, kRow = 24, kThickness = 17, kBottom = 44;
constexpr const char* kColours[] = {"#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#9498a0", "#a463f2"};

std::string Escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    escaped += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  }
  return escaped;
}

double TotalOf(const StackedBar& bar) { return std::accumulate(bar.values.begin(), bar.values.end(), 0.0); }

void RequireSense(const StackedBars& picture) {
  for (const StackedBar& bar : picture.bars) {
    if (!bar.values.empty() && bar.values.size() != picture.parts.size()) {
      throw std::invalid_argument(fmt::format("bar {} has {} values: expected one for each of {} parts", bar.label,
                                              bar.values.size(), picture.parts.size()));
    }
    for (const double value : bar.values) {
      if (!(value >= 0) || !std::isfinite(value)) {
        throw std::invalid_argument(fmt::format("bar {} has the value {}: expected 0 or more", bar.label, value));
      }
    }
  }
  if (picture.parts.size() > std::size(kColours)) {
    throw std::invalid_argument(
        fmt::format("{} parts: expected at most {}", picture.parts.size(), std::size(kColours)));
  }
}

/// The largest of 1, 2, 5 times a power of ten that leaves at least four steps up to `most`.
double TickOf(double most) {
  const double power = std::pow(10.0, std::floor(std::log10(most / 4)));
  for (const double factor : {5.0, 2.0}) {
    if (factor * power <= most / 4) return factor * power;
  }
  return power;
}

std::string Text(double x, double y, const char* attributes, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, attributes, Escaped(text));
}

std::string Legend(const StackedBars& picture) {
  std::string svg;
  double x = kLeft;
  for (size_t p = 0; p < picture.parts.size(); ++p) {
    svg += fmt::format("<rect x=\"{:.1f}\" y=\"60\" width=\"12\" height=\"12\" fill=\"{}\"/>\n", x, kColours[p]);
    svg += Text(x + 17, 70.5, "", picture.parts[p]);
    x += 40 + 7.0 * static_cast<double>(picture.parts[p].size());
  }
  return svg;
}

std::string Axis(const StackedBars& picture, double most, double scale, double bottom) {
  std::string svg;
  const double tick = TickOf(most);
  for (double value = 0; value <= most * 1.0001; value += tick) {
    const double x = kLeft + value * scale;
    svg += fmt::format("<line x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" stroke=\"#ddd\"/>\n", x, kTop - 8,
                       bottom);
    svg += Text(x, bottom + 16, "text-anchor=\"middle\"", fmt::format("{:g}", value));
  }
  return svg + Text(kLeft + kBars / 2.0, bottom + 34, "text-anchor=\"middle\"", picture.unit);
}

std::string Row(const StackedBars& picture, const StackedBar& bar, double y, double scale) {
  if (bar.values.empty()) return Text(12, y + 14, "font-weight=\"bold\"", bar.label);
  std::string svg = Text(kLeft - 8, y + 13, "text-anchor=\"end\"", bar.label);
  double x = kLeft;
  for (size_t p = 0; p < bar.values.size(); ++p) {
    const double width = bar.values[p] * scale;
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"><title>{}</title></rect>\n", x, y,
        width, kThickness, kColours[p],
        Escaped(fmt::format("{}: {:.4g} {}", picture.parts[p], bar.values[p], picture.unit)));
    x += width;
  }
  return svg + Text(x + 6, y + 13, "", fmt::format("{:.4g} {}", TotalOf(bar), picture.unit));
}

}  // namespace

std::string ToSvg(const StackedBars& picture) {
  RequireSense(picture);
  double most = 0;
  for (const StackedBar& bar : picture.bars) most = std::max(most, TotalOf(bar));
  if (most == 0) most = 1;
  const double scale = kBars / most;
  const double bottom = kTop + kRow * static_cast<double>(picture.bars.size());
  const int width = kLeft + kBars + kRight;

  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1:.0f}\" width=\"{0}\" height=\"{1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, bottom + kBottom);
  svg += Text(12, 24, "font-size=\"17\" font-weight=\"bold\"", picture.title);
  svg += Text(12, 44, "fill=\"#555\"", picture.subtitle);
  svg += Legend(picture) + Axis(picture, most, scale, bottom);
  double y = kTop;
  for (const StackedBar& bar : picture.bars) {
    svg += Row(picture, bar, y, scale);
    y += kRow;
  }
  return svg + "</svg>\n";
}

}  // namespace zerocts
