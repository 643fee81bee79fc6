// Puts a failure record into words.
#include "conformance/report/failure_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace zerocts {
namespace {

using nlohmann::json;

std::string Indented(const std::string& text, const std::string& margin) {
  std::string out;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    out += margin + text.substr(begin, end - begin) + '\n';
    begin = end + 1;
  }
  return out;
}

std::string Line(const char* what, const std::string& text) { return text.empty() ? "" : fmt::format("{:<9} {}\n", what, text); }

}  // namespace

std::string FailureText(const json& failure) {
  std::string out = failure.value("sentence", "no sentence was recorded") + '\n';
  out += Indented(failure.value("divergence", ""), "  ");
  out += Line("fidelity", failure.value("fidelity", ""));
  out += Line("case", failure.value("summary", ""));
  const std::string case_file = failure.value("case_file", "");
  if (!case_file.empty()) {
    out += Line("file", case_file);
    out += Line("replay", fmt::format("zerocts replay {} --subject {} --launcher {}", case_file, failure.value("subject", "native"),
                                      failure.value("launcher", "local")));
  } else if (failure.contains("case")) {
    out += Line("as JSON", failure.at("case").dump());
  }
  for (const json& rank : failure.value("ranks", json::array())) {
    out += fmt::format("rank {}: {}\n", rank.value("rank", -1), rank.value("state", ""));
    out += Indented(rank.value("output", ""), "  | ");
  }
  return out;
}

}  // namespace zerocts
