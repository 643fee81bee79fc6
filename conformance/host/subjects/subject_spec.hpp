// Which subject is meant, and how its ranks start.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace zerocts {

/// Which release of a framework, in which Python, for which device.
struct SubjectChoice {
  std::string version;  // --version; "": the one that zerocts names
  std::string python;   // --python: the user's own; "": an environment that zerocts makes
  std::string device;   // --device, which the framework must be built for; "": CPUs
};

/// --option key=value
using SubjectOptionList = std::vector<std::pair<std::string, std::string>>;

/// What is judged: "native", another name of `zerocts subjects`, "torch:FILE:CLASS", "plugin:PATH" or "exec:CMD".
struct SubjectSpec {
  std::string text;       // as typed
  std::string plugin;     // absolute path of the shared library, or ""
  std::string command;    // exec: of a rank or of all ranks, with placeholders, or ""
  std::string framework;  // what the command drives when the subject is a framework's, "torch", or ""
  std::string python;     // that runs it then
  SubjectChoice choice;
  SubjectOptionList options;

  /// {world_size} without {rank} in the command: it starts all ranks itself.
  bool StartsAllRanks() const;
};

/// Ranks of "exec:" can import zerocts_rank from now on. The class of "torch:FILE:CLASS" is tried with these options.
/// Throws UsageError: unknown subject (with the known ones), plugin missing, no such release, no environment for it, a
/// class that cannot be made.
SubjectSpec ResolveSubject(const std::string& text, const SubjectChoice& choice = {},
                           const SubjectOptionList& options = {});

/// Names of the plugins that came with zerocts: the shared libraries in lib/zerocts/subjects beside the program's bin,
/// in name order.
std::vector<std::string> KnownSubjects();

/// These, then the frameworks'.
std::vector<std::string> SubjectNames();

}  // namespace zerocts
