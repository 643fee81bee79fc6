// What all pages share: the frame with its style, and how a result looks. A page needs nothing but itself: no script,
// no font, no picture. Nothing depends on colours alone, and both light and dark are served.
#pragma once
#include <string>

#include "conformance/report/log/result.hpp"

namespace zerocts {

/// A whole document. `title` is text, `body` is HTML.
std::string HtmlPage(const std::string& title, const std::string& body);

/// "pass", "known", "bad", "none": four kinds are enough for colours; glyph and word say the rest.
const char* HtmlClassOf(Result result);

/// Glyph and word: "<span class="mark bad"><i aria-hidden="true">x</i> FAIL</span>".
std::string HtmlMark(Result result);

/// A table that scrolls sideways by itself where the window is narrow. `label` is text, `rows` are HTML.
std::string HtmlTable(const std::string& label, const std::string& rows);

}  // namespace zerocts
