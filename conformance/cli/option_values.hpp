// The words that options take: parsing refuses others and names the nearest, and completion offers them.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace zerocts {

enum class Takes {
  kOneOf,   // one of these
  kSomeOf,  // these, with commas between
  kSuchAs   // these and others
};

struct OptionValues {
  std::vector<std::string> commands;
  std::string option;  // "--tier"
  Takes takes;
  std::vector<std::string> words;
};

/// An error of parsing for a word that the option does not take; of every command, so that --dry-run judges values too.
void RefuseUnknownValues(CLI::App& program);

/// "option --tier of check"; nothing: what it takes is no list of words.
const OptionValues* FindValues(const std::string& command, const std::string& option);

/// {"smoke": "--tier smoke"}: words, not numbers, that are a value of an option of the command.
std::map<std::string, std::string> OptionsByValue(const std::string& command);

}  // namespace zerocts
