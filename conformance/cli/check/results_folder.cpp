#include "conformance/cli/check/results_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "reference/experiment/hash.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/experiment/user_file.hpp"

namespace zerocts {
namespace {

/// From the script on: "my_rank.py --eager" of "python3 -u my_rank.py --eager"; else the program.
std::string ScriptOf(const std::string& command) {
  std::vector<std::string> words;
  std::istringstream in(command);
  for (std::string word; in >> word;) words.push_back(word);
  const auto is_script = [](const std::string& word) {
    const std::string extension = std::filesystem::path(word).extension();
    return extension.size() > 1 && std::isalpha(static_cast<unsigned char>(extension[1]));
  };
  auto script = std::ranges::find_if(words, is_script);
  if (script == words.end()) script = std::ranges::find_if(words, [](const auto& word) { return word != "exec"; });
  if (script == words.end()) return command;
  std::string name = std::filesystem::path(*script).filename();
  while (++script != words.end()) name += ' ' + *script;
  return name;
}

std::string FolderNameOf(const SubjectSpec& subject) {
  constexpr std::string_view kCommand = "exec:", kTorch = "torch:";
  if (!subject.plugin.empty()) return std::filesystem::path(subject.plugin).stem();
  if (subject.text.starts_with(kCommand)) return ScriptOf(subject.text.substr(kCommand.size()));
  if (subject.text.starts_with(kTorch)) return std::filesystem::path(subject.text.substr(kTorch.size())).filename();
  return subject.text;
}

/// The subject whose run wrote the log in the folder; "" where there is none.
std::string SubjectIn(const std::string& folder) {
  try {
    std::ifstream log = OpenUserFile(folder + "/results.ndjson");
    std::string line;
    std::getline(log, line);
    return ParseJson(line).at("subject").at("text");
  } catch (const std::exception&) {  // whatever it is, the run says so that writes there
    return "";
  }
}

}  // namespace

std::string AsFileName(std::string name) {
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-') c = '_';
  }
  return name.substr(0, kLongestFileName);
}

std::string DefaultFolder(const SubjectSpec& subject, uint64_t seed) {
  std::string name = FolderNameOf(subject);
  const std::vector<std::string> known = KnownSubjects();
  if (subject.text != name && std::ranges::find(known, name) != known.end()) name = "plugin-" + name;
  const auto folder = [&](const std::string& of) {
    return fmt::format("zerocts-results/{}-seed-{}", AsFileName(of), seed);
  };
  const std::string other = SubjectIn(folder(name));
  if (other.empty() || other == subject.text) return folder(name);
  const std::string mark = HashOfBytes(subject.text.data(), subject.text.size()).substr(0, 8);
  return folder(name.substr(0, kLongestFileName - mark.size() - 1) + "-" + mark);
}

}  // namespace zerocts
