#include "conformance/host/subjects/frameworks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/host/subjects/python_program.hpp"
#include "conformance/host/system/errors.hpp"
#include "reference/experiment/json_text.hpp"

namespace zerocts {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTorchOptimizer = "torch:";

PythonAnswer AskEnvironment(const std::vector<std::string>& arguments) {
  return AskPython("python3", "environment.py", arguments);
}

/// The programs that one section of frameworks.json lists.
std::vector<FrameworkSubject> ProgramsUnder(const char* section) {
  const fs::path path = AdaptersFolder() / "frameworks.json";
  const std::optional<std::string> text = JsonFileText(path);
  if (!text) return {};
  std::vector<FrameworkSubject> subjects;
  try {
    const auto file = ParseOrderedJson(*text);
    for (const auto& [name, entry] : file.at(section).items()) {
      const std::string framework = entry.at("framework"), adapter = entry.at("adapter");
      subjects.push_back({.name = name,
                          .framework = framework,
                          .version = file.at("frameworks").at(framework).at("version"),
                          .adapter = (AdaptersFolder() / adapter).string(),
                          .arguments = entry.at("arguments")});
    }
  } catch (const JsonTextError& wrong) {
    throw HarnessError(fmt::format("the list of frameworks {} is broken: {}; build or install zerocts again",
                                   path.string(), wrong.what()));
  } catch (const nlohmann::json::exception&) {
    throw HarnessError(
        fmt::format("the list of frameworks {} is broken; build or install zerocts again", path.string()));
  }
  return subjects;
}

}  // namespace

const std::vector<FrameworkSubject>& FrameworkSubjects() {
  static const std::vector<FrameworkSubject> kSubjects = ProgramsUnder("subjects");
  return kSubjects;
}

const std::vector<FrameworkSubject>& FrameworkPlanners() {
  static const std::vector<FrameworkSubject> kPlanners = ProgramsUnder("planners");
  return kPlanners;
}

bool IsFramework(const std::string& subject) {
  return std::ranges::any_of(FrameworkSubjects(), [&](const FrameworkSubject& f) { return f.name == subject; });
}

std::map<std::string, std::string> ReadyFrameworks() {
  const PythonAnswer answer = AskEnvironment({"list"});
  if (!answer.found) throw UsageError(answer.text);
  return ParseJson(answer.text);
}

std::string PythonFor(const FrameworkSubject& subject, const SubjectChoice& choice) {
  std::vector<std::string> arguments = {choice.python.empty() ? "python" : "examine", subject.framework};
  if (!choice.python.empty()) arguments.push_back("--python=" + choice.python);
  if (!choice.version.empty()) arguments.push_back("--version=" + choice.version);
  if (!choice.device.empty()) arguments.push_back("--device=" + choice.device);
  const PythonAnswer answer = AskEnvironment(arguments);
  if (!answer.found) throw UsageError(fmt::format("{}: {}", subject.name, answer.text));
  return answer.text;
}

std::string CommandOf(const std::vector<std::string>& words) {
  std::string command = "exec";
  for (const std::string& word : words) {
    command += " '";
    for (const char c : word) command += c == '\'' ? std::string("'\\''") : std::string(1, c);
    command += "'";
  }
  return command;
}

std::vector<std::string> ArgumentsOf(const FrameworkSubject& subject, const std::string& python) {
  std::vector<std::string> words = {python, subject.adapter};
  words.insert(words.end(), subject.arguments.begin(), subject.arguments.end());
  return words;
}

std::string RankCommand(const FrameworkSubject& subject, const std::string& python) {
  return CommandOf(ArgumentsOf(subject, python));
}

bool IsTorchOptimizer(const std::string& subject) { return subject.starts_with(kTorchOptimizer); }

FrameworkSubject TorchOptimizer(const std::string& subject) {
  return {.name = subject,
          .framework = "torch",
          .version = "",
          .adapter = (AdaptersFolder() / "torch_optimizer.py").string(),
          .arguments = {}};
}

FrameworkSubject Probed(FrameworkSubject optimizer, const std::string& python, const SubjectOptionList& options) {
  std::vector<std::string> words = {optimizer.name.substr(kTorchOptimizer.size())};
  for (const auto& [key, value] : options) words.push_back(key + "=" + value);
  const PythonAnswer answer = AskPython(python, "torch_optimizer_probe.py", words);
  if (!answer.found) throw UsageError(answer.text);
  optimizer.arguments = {answer.text};
  return optimizer;
}

std::string DefaultExpectations(const std::string& subject) {
  const fs::path path = AdaptersFolder() / "expectations" / (subject + ".json");
  std::error_code none;
  return fs::is_regular_file(path, none) ? path.string() : "";
}

}  // namespace zerocts
