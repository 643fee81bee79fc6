#include "conformance/report/html/html.hpp"

#include <fmt/format.h>

#include "conformance/report/html/html_style.hpp"
#include "conformance/report/words/mark.hpp"
#include "conformance/report/words/text.hpp"

namespace zerocts {

std::string HtmlPage(const std::string& title, const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</html>\n",
      XmlText(title), kHtmlStyle, body);
}

const char* HtmlClassOf(Result result) {
  if (result == Result::kPass) return "pass";
  if (!IsAsked(result)) return "none";
  return result == Result::kSelfReported || result == Result::kExpected || result == Result::kTooFew ? "known" : "bad";
}

std::string HtmlMark(Result result) {
  const Mark mark = MarkOf(result);
  const std::string word = result == Result::kNotApplicable ? "n/a" : mark.word;
  return fmt::format("<span class=\"mark {}\" title=\"{}\"><i aria-hidden=\"true\">{}</i> {}</span>",
                     HtmlClassOf(result), mark.meaning, mark.glyph, word);
}

std::string HtmlTable(const std::string& label, const std::string& rows) {
  return fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\n<table>\n{}</table>\n</div>\n",
      XmlAttribute(label), rows);
}

}  // namespace zerocts
