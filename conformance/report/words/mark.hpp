// How results look: a glyph and a short word each, so that nothing depends on colours; a colour where there are some.
#pragma once
#include <string>

#include "conformance/report/log/result.hpp"

namespace zerocts {

struct Mark {
  const char* word;     // at most five letters, upper case when it is bad
  const char* meaning;  // for the legend
  const char* glyph;    // UTF-8, for pages
};
Mark MarkOf(Result result);
std::string WordsOf(Result result);  // the word of the log for people: "not applicable"

/// Paints words for terminals, or leaves them alone.
class Painter {
 public:
  explicit Painter(bool color) : color_(color) {}
  std::string Bold(const std::string& text) const { return Painted(text, "1"); }
  std::string As(Result result, const std::string& text) const;

 private:
  std::string Painted(const std::string& text, const char* code) const;
  bool color_;
};

/// At most `width` columns; what was cut ends in "..".
std::string Clipped(const std::string& text, size_t width);

}  // namespace zerocts
