// Scripts that let a shell complete the command line of zerocts. They are made from the program's own options, so no
// list of them is kept twice.
#pragma once
#include <string>
#include <vector>

namespace zerocts {

struct CompletedOption {
  std::string name;  // "--subject"
  bool takes_value = false;
  std::vector<std::string> values;  // none, where it takes one: files
};

struct CompletedCommand {
  std::string name, description;
  std::vector<CompletedOption> options;
  std::vector<std::string> operands;  // none: files
};

std::string BashCompletion(const std::vector<CompletedCommand>& commands);
std::string ZshCompletion(const std::vector<CompletedCommand>& commands);

}  // namespace zerocts
