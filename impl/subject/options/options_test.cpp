// The page of options is what the tables of options and of transports say.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "impl/comm/backends.hpp"
#include "impl/subject/options/options.hpp"

namespace zerocts::engine {
namespace {

std::string InTable(const std::string& text) { return std::regex_replace(text, std::regex(R"(\|)"), "\\|"); }

std::string Page() {
  std::string page =
      "# Options of the native engine\n\n"
      "<!-- Written by `ninja options_page`; a test compares. Edit the tables of options and of transports, not this "
      "page. -->\n\n"
      "`zerocts check --subject native --option KEY=VALUE`.\n\n"
      "| option | what it does |\n| --- | --- |\n";
  for (const Option& option : OptionTable()) {
    page += fmt::format("| `{}={}` | {} |\n", option.key, InTable(option.values), option.summary);
  }
  page += "\n| transport | chosen by | what carries the bytes |\n| --- | --- | --- |\n";
  for (const Backend& backend : kBackends) {
    page += fmt::format("| {} | `{}` | {} |\n", backend.name, backend.spelling, backend.summary);
  }
  return page;
}

TEST(Options, StandOnThePage) {
  if (std::getenv("ZEROCTS_WRITE_OPTIONS_PAGE")) std::ofstream(OPTIONS_PAGE) << Page();
  std::ifstream file(OPTIONS_PAGE);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(page, Page()) << OPTIONS_PAGE
                          << ": expected what the tables say; type `ninja -C build/default options_page`";
}

TEST(Options, HaveDifferentKeys) {
  std::set<std::string> keys;
  for (const Option& option : OptionTable()) EXPECT_TRUE(keys.insert(option.key).second) << option.key;
}

}  // namespace
}  // namespace zerocts::engine
