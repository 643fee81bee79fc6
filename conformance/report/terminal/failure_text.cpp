// Puts a failure record into words.
#include "conformance/report/terminal/failure_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/report/words/shell_word.hpp"

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

std::string Line(const char* what, const std::string& text) {
  return text.empty() ? "" : fmt::format("{:<9} {}\n", what, text);
}

/// "known     torch-fsdp2 fails so since 2026-11-22 (pytorch/pytorch#1); --expect torch-fsdp2 excuses it"
std::string KnownText(const json& known) {
  if (!known.is_object()) return "";
  const std::string framework = known.value("framework", ""), issue = known.value("issue", "");
  return Line("known", fmt::format("{0} fails so since {1} ({2}); --expect {0} excuses it", framework,
                                   known.value("date", ""), issue.empty() ? "no upstream issue yet" : issue));
}

}  // namespace

std::string ConfigurationText(const json& failure) {
  const json c = failure.value("case", json::object()), experiment = c.value("experiment", json::object());
  const int found = failure.value("world_size", 0);  // of all ranks; that of an experiment counts data ranks
  const int shown =
      experiment.contains("world_size") ? experiment.value("world_size", 0) * c.value("tensor", 1) : found;
  return fmt::format("{} W={} {}{}", failure.value("launcher", ""), shown, failure.value("precision", ""),
                     shown == found ? "" : fmt::format(" (found with W={}, then shrunk)", found));
}

std::string ReplayCommand(const json& failure) {
  const std::string file = failure.value("case_file", "");
  if (file.empty()) return "";
  std::string command = "zerocts replay " + ShellWord(file);
  const auto add = [&](const char* option, const std::string& value) {
    command += fmt::format(" \\\n  --{} {}", option, ShellWord(value));
  };
  add("subject", failure.value("subject", "native"));
  const json choice = failure.value("choice", json::object());
  for (const auto& [option, value] : choice.items()) add(option.c_str(), value.get<std::string>());
  for (const std::string option : failure.value("options", json::array())) add("option", option);
  add("launcher", failure.value("launcher", "local"));
  return command;
}

std::string ReproducerText(const json& reproducer) {
  if (!reproducer.is_object()) return "";
  if (reproducer.contains("reason")) return Line("reproduce", "none: " + reproducer.at("reason").get<std::string>());
  std::vector<std::string> runs;
  for (const int ranks : reproducer.at("ranks")) {
    runs.push_back(fmt::format("{} \\\n  -m torch.distributed.run --standalone --nproc-per-node {} \\\n  {}",
                               ShellWord(reproducer.at("python")), ranks, ShellWord(reproducer.at("file"))));
  }
  return Line("reproduce", fmt::format("{}", fmt::join(runs, " &&\n  ")));
}

std::string FailureText(const json& failure) {
  std::string out = failure.value("sentence", "no sentence was recorded") + '\n';
  out += Indented(failure.value("divergence", ""), "  ");
  out += Line("fidelity", failure.value("fidelity", ""));
  out += Line("case", failure.value("summary", ""));
  if (const std::string file = failure.value("case_file", ""); !file.empty()) {
    out += Line("file", file) + Line("replay", ReplayCommand(failure));
  } else if (failure.contains("case")) {
    out += Line("as JSON", failure.at("case").dump());
  }
  out += KnownText(failure.value("known", json()));
  out += ReproducerText(failure.value("reproducer", json()));
  for (const json& rank : failure.value("ranks", json::array())) {
    out += fmt::format("rank {}: {}\n", rank.value("rank", -1), rank.value("state", ""));
    out += Indented(rank.value("output", ""), "  | ");
  }
  if (const size_t more = failure.value("more_ranks", size_t{0}))
    out += fmt::format("{} more rank{}: --verbose shows {}\n", more, more == 1 ? "" : "s", more == 1 ? "it" : "them");
  return out;
}

}  // namespace zerocts
