// Frameworks that are judged by name: which adapter drives each, and the Python that it runs in
// (conformance/adapters/frameworks.json).
#pragma once
#include <map>
#include <string>
#include <vector>

#include "conformance/host/subjects/subject_spec.hpp"

namespace zerocts {

struct FrameworkSubject {
  std::string name;       // "torch-fsdp2"
  std::string framework;  // "torch": what is installed for it
  std::string version;    // the release that is taken when none is asked for
  std::string adapter;    // path of its Python file
  std::vector<std::string> arguments;
};

/// Those that came with zerocts, in the order of the file, which is read once. Throws HarnessError when it is broken.
const std::vector<FrameworkSubject>& FrameworkSubjects();
/// The same of programs that answer planning requests by a framework's own partition function (conformance/plans/fuzz).
const std::vector<FrameworkSubject>& FrameworkPlanners();

bool IsFramework(const std::string& subject);

/// The Pythons that are ready with the default release, by framework; making none.
std::map<std::string, std::string> ReadyFrameworks();

/// The Python that has it. The user's own is examined; without one the environment is made when it is first needed,
/// which is said on standard error. Throws UsageError with the reason when there is none, HarnessError when
/// the machine cannot have it.
std::string PythonFor(const FrameworkSubject& subject, const SubjectChoice& choice);

/// A command line of the shell with these words, which the program takes the shell's place to run.
std::string CommandOf(const std::vector<std::string>& words);

/// Its program in this Python.
std::vector<std::string> ArgumentsOf(const FrameworkSubject& subject, const std::string& python);
/// The command of a rank.
std::string RankCommand(const FrameworkSubject& subject, const std::string& python);

/// A user's own optimizer, "torch:FILE:CLASS".
bool IsTorchOptimizer(const std::string& subject);
FrameworkSubject TorchOptimizer(const std::string& subject);
/// The same with what its class can do as its argument. Throws UsageError when the class cannot be made.
FrameworkSubject Probed(FrameworkSubject optimizer, const std::string& python, const SubjectOptionList& options);

/// The expectations file that came with it, "" when there is none.
std::string DefaultExpectations(const std::string& subject);

}  // namespace zerocts
