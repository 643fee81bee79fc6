// Escaping and wrapping.
#include "conformance/report/words/text.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace zerocts {
namespace {

/// Bytes of the well-formed UTF-8 character at the start of `text` that XML 1.0 allows, or 0.
size_t CharacterLength(std::string_view text) {
  const auto byte = [&](size_t i) -> uint32_t { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const uint32_t first = byte(0);
  if (first < 0x80) return (first >= 0x20 && first != 0x7f) || first == '\n' || first == '\t' ? 1 : 0;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  uint32_t code = first & (0xffu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3f);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  const bool c1_control = code < 0xa0;
  const bool no_character = code == 0xfffe || code == 0xffff || code > 0x10ffff;
  return overlong || surrogate || c1_control || no_character ? 0 : length;
}

std::string XmlEscaped(std::string_view text, bool attribute) {
  std::string out;
  for (char c : Printable(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += attribute ? "&quot;" : "\""; break;
      case '\n': out += attribute ? "&#10;" : "\n"; break;
      case '\t': out += attribute ? "&#9;" : "\t"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t length = CharacterLength(text);
    if (length == 0) {
      out += fmt::format("\\x{:02X}", static_cast<unsigned char>(text.front()));
      text.remove_prefix(1);
    } else {
      out += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return out;
}

std::string PrintableLine(std::string_view text) {
  std::string line;
  for (const char c : Printable(text)) line += c == '\n' ? "\\x0A" : c == '\t' ? "\\x09" : std::string(1, c);
  return line;
}

std::string XmlText(std::string_view text) { return XmlEscaped(text, false); }
std::string XmlAttribute(std::string_view text) { return XmlEscaped(text, true); }

std::string Wrap(std::string_view text, int width, int indent) {
  const std::string margin(indent, ' ');
  std::string out;
  bool in_command = false;
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    const size_t room = static_cast<size_t>(std::max(width - indent, 1));
    const bool goes_on = line.ends_with('\\');
    const bool of_a_command = goes_on || in_command;
    in_command = goes_on;
    while (line.size() > room && !of_a_command) {
      size_t cut = line.rfind(' ', room);
      // Leading blanks are the line's own indentation: no break there.
      if (cut == std::string_view::npos || line.find_first_not_of(' ') > cut) cut = line.find(' ', room);
      if (cut == std::string_view::npos) break;
      out += margin + std::string(line.substr(0, cut)) + '\n';
      line.remove_prefix(cut + 1);
    }
    out += margin + std::string(line) + '\n';
  }
  return out;
}

}  // namespace zerocts
