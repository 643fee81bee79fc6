// What is installed beside the program; the build tree has the same shape.
#pragma once
#include <string>
#include <vector>

namespace zerocts {

/// A path under the folder above the program's bin: InstalledPath("lib/zerocts/mutants").
std::string InstalledPath(const std::string& relative);

/// One of the known faults (or harmless variants) with which the suite itself is tried.
struct InstalledMutant {
  std::string id, title, subject;
  std::vector<std::string> clauses;  // that must kill it; none when it is benign
  std::vector<std::string> bugs;     // links to real bugs of this kind
  std::vector<std::string> options;  // key=value for the subject
  std::string plan = {};             // a file through which it is judged; "": none
  std::string ranks = {};            // world sizes at which it shows; "": any
  bool benign = false;
};
/// None when no mutants are installed. Throws HarnessError when their list is broken.
std::vector<InstalledMutant> InstalledMutants();

}  // namespace zerocts
