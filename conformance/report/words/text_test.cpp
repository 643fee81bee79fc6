#include "conformance/report/words/text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <sstream>

namespace zerocts {
namespace {

TEST(Printable, KeepsTextAndShowsControlCharactersAsBytes) {
  EXPECT_EQ(Printable("plain\ttext\nwith lines"), "plain\ttext\nwith lines");
  EXPECT_EQ(Printable("\x1b[31mred\r"), "\\x1B[31mred\\x0D");
  EXPECT_EQ(Printable(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(Printable("\x7f"), "\\x7F");
}

TEST(Printable, StaysOnOneLineWhereItMust) {
  EXPECT_EQ(PrintableLine("a\tb\nsound: c\x1b[31m"), "a\\x09b\\x0Asound: c\\x1B[31m");
}

TEST(Printable, KeepsWellFormedUtf8Only) {
  const std::string accents = "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82";  // e with acute, euro sign, a smiling face
  EXPECT_EQ(Printable(accents), accents);
  EXPECT_EQ(Printable("\xc3"), "\\xC3");                    // cut off
  EXPECT_EQ(Printable("\xc0\x80"), "\\xC0\\x80");           // overlong NUL
  EXPECT_EQ(Printable("\xe0\x80\xaf"), "\\xE0\\x80\\xAF");  // overlong slash
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xED\\xA0\\x80");  // surrogate
  EXPECT_EQ(Printable("\xef\xbf\xbf"), "\\xEF\\xBF\\xBF");  // U+FFFF is no character in XML
  EXPECT_EQ(Printable("\xc2\x9b"), "\\xC2\\x9B");           // C1 control: some terminals take it as ESC [
  EXPECT_EQ(Printable("\xf5\x80\x80\x80"), "\\xF5\\x80\\x80\\x80");
}

RC_GTEST_PROP(Printable, IsIdempotentOnAnyBytes, (const std::string& bytes)) {
  RC_ASSERT(Printable(Printable(bytes)) == Printable(bytes));
}

TEST(Xml, EscapesWhatXmlTakesForMarkup) {
  EXPECT_EQ(XmlText("a<b>&\"c\"\n]]>"), "a&lt;b&gt;&amp;\"c\"\n]]&gt;");
  EXPECT_EQ(XmlAttribute("a<b>&\"c\"\n\t"), "a&lt;b&gt;&amp;&quot;c&quot;&#10;&#9;");
}

TEST(Wrap, BreaksAtBlanksAndKeepsLongWords) {
  EXPECT_EQ(Wrap("one two three", 10, 2), "  one two\n  three\n");
  EXPECT_EQ(Wrap("/a/long/path/that/fits/nowhere next", 10, 0), "/a/long/path/that/fits/nowhere\nnext\n");
  EXPECT_EQ(Wrap("zerocts replay a.json \\\n  --subject x y z\nand so on", 8, 0),
            "zerocts replay a.json \\\n  --subject x y z\nand so\non\n");
  EXPECT_EQ(Wrap("first\n\n  second\n", 40, 1), " first\n \n   second\n");
}

RC_GTEST_PROP(Wrap, LosesNoWord, (const std::string& seed)) {
  std::string text;
  for (char c : seed) text += c % 3 == 0 ? ' ' : c % 7 == 0 ? '\n' : 'x';
  const auto words = [](const std::string& s) {
    std::istringstream in(s);
    return std::vector<std::string>(std::istream_iterator<std::string>(in), {});
  };
  RC_ASSERT(words(Wrap(text, 12, 3)) == words(text));
}

}  // namespace
}  // namespace zerocts
