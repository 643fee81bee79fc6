#include "conformance/report/words/shell_word.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "conformance/report/words/text.hpp"

namespace zerocts {

std::string ShellWord(const std::string& text) {
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) || std::strchr("/._-+=:,@%", c); };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return text;
  const bool is_escaped = PrintableLine(text) != text;
  std::string quoted;
  for (const char c : text) {
    if (c == '\'') {
      quoted += is_escaped ? "\\'" : "'\\''";
    } else if (is_escaped && c == '\\') {
      quoted += "\\\\";
    } else if (c == '\n') {
      quoted += "\\n";
    } else {
      quoted += c;
    }
  }
  return fmt::format("{}'{}'", is_escaped ? "$" : "", PrintableLine(quoted));
}

}  // namespace zerocts
