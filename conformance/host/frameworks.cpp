#include "conformance/host/frameworks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "conformance/host/launcher.hpp"

namespace zerocts {

namespace {

namespace fs = std::filesystem;

fs::path AdaptersFolder() { return (fs::path(OwnProgram()).parent_path() / "../share/zerocts/adapters").lexically_normal(); }

struct Answer {
  bool found = false;
  std::string text;  // or the reason
};

/// Runs environment.py of the adapters, whose steps have deadlines of their own; what it says meanwhile goes to our standard error.
Answer AskEnvironment(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"python3", (AdaptersFolder() / "environment.py").string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int answer[2];
  if (pipe2(answer, O_CLOEXEC) != 0) throw HarnessError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, answer[1], STDOUT_FILENO);
  pid_t child = 0;
  const int error = posix_spawnp(&child, argv[0], &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  close(answer[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t got; !error && (got = read(answer[0], buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(got));
  close(answer[0]);
  if (error) throw UsageError(fmt::format("expected python3 in PATH, got none ({}); install it (Debian: python3)", std::strerror(error)));
  int status = 0;
  waitpid(child, &status, 0);
  while (text.ends_with('\n')) text.pop_back();
  if (!WIFEXITED(status) || text.empty()) throw HarnessError(fmt::format("{} ended without an answer; its output is above", words[1]));
  return {WEXITSTATUS(status) == 0, text};
}

/// As one word of a shell's command line.
std::string Quoted(const std::string& word) {
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string PythonFor(const FrameworkSubject& subject, const SubjectChoice& choice) {
  std::vector<std::string> arguments = {choice.python.empty() ? "python" : "examine", subject.framework};
  if (!choice.python.empty()) arguments.push_back("--python=" + choice.python);
  if (!choice.version.empty()) arguments.push_back("--version=" + choice.version);
  const Answer answer = AskEnvironment(arguments);
  if (!answer.found) throw UsageError(fmt::format("subject {}: {}", subject.name, answer.text));
  return answer.text;
}

}  // namespace

std::vector<FrameworkSubject> FrameworkSubjects() {
  const fs::path path = AdaptersFolder() / "frameworks.json";
  std::ifstream in(path);
  if (!in) return {};
  std::vector<FrameworkSubject> subjects;
  try {
    const auto file = nlohmann::ordered_json::parse(in);
    for (const auto& [name, entry] : file.at("subjects").items()) {
      const std::string framework = entry.at("framework"), adapter = entry.at("adapter");
      subjects.push_back({.name = name,
                          .framework = framework,
                          .version = file.at("frameworks").at(framework).at("version"),
                          .adapter = (AdaptersFolder() / adapter).string(),
                          .arguments = entry.at("arguments")});
    }
  } catch (const nlohmann::json::exception& error) {
    throw HarnessError(fmt::format("the list of frameworks {} is broken: {}; build or install zerocts again", path.string(), error.what()));
  }
  return subjects;
}

std::map<std::string, std::string> ReadyFrameworks() {
  const Answer answer = AskEnvironment({"list"});
  if (!answer.found) throw UsageError(answer.text);
  return nlohmann::json::parse(answer.text);
}

std::string RankCommand(const FrameworkSubject& subject, const SubjectChoice& choice) {
  std::string command = "exec " + Quoted(PythonFor(subject, choice)) + " " + Quoted(subject.adapter);
  for (const std::string& argument : subject.arguments) command += " " + Quoted(argument);
  return command;
}

std::string DefaultExpectations(const std::string& subject) {
  const fs::path path = AdaptersFolder() / "expectations" / (subject + ".json");
  std::error_code none;
  return fs::is_regular_file(path, none) ? path.string() : "";
}

}  // namespace zerocts
