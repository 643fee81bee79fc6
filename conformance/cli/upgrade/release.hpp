// One of the two releases that `zerocts upgrade` compares, and what is measured of it.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "conformance/host/subjects/frameworks.hpp"
#include "conformance/report/view/run_view.hpp"

namespace zerocts {

/// What is asked of every release alike.
struct ReleaseQuestion {
  std::string subject;               // of a framework, or torch:FILE:CLASS
  std::vector<std::string> options;  // key=value for it
  std::vector<std::string> check;    // further words of zerocts check
};

struct Release {
  std::string name;    // "2.9.1", which zerocts finds or installs, or the path of a Python that has it
  std::string python;  // that has it

  bool is_python() const { return name.find('/') != std::string::npos; }
  std::string folder_name() const;  // "2.9.1", "t28_bin_python"
};

/// Finds its Python, or makes its environment. Throws what PythonFor throws, with `which` of the two it is before it.
Release FindRelease(const FrameworkSubject& subject, const std::string& which, const std::string& name);

/// As part of the name of a folder, cut from the front.
std::string FolderName(const std::string& text);

/// Throws UsageError where it cannot be.
void MakeFolder(const std::filesystem::path& folder);

/// A run of zerocts check.
struct CheckedRelease {
  std::filesystem::path folder;
  RunView run;
  bool kept = false;  // it was run earlier, by this program and these adapters
};

/// In `folder`, or, for a framework's subject and a release that zerocts installs, in the user's cache, where it is run
/// once. `again`: also when it is there. Throws HarnessError where check writes no log; UsageError with check's own
/// sentence where it takes nothing of what it is given.
CheckedRelease CheckRelease(const ReleaseQuestion& question, const Release& release,
                            const std::filesystem::path& folder, bool again);

struct ReleaseFacts {
  nlohmann::json values;  // {"defaults": {..}, "checkpoint": {..}}
  std::string problem;    // why there are none; may be empty
};

/// What adapters/release_facts.py tells.
ReleaseFacts FactsOf(const std::string& subject, const Release& release);

}  // namespace zerocts
