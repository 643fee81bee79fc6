// zerocts subjects: who can be judged by name, and what each declares.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "conformance/cases/capabilities/capabilities.hpp"
#include "conformance/cli/check/subject_choices.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/host/conductor/group_end.hpp"
#include "conformance/host/conductor/subject_info.hpp"
#include "conformance/host/subjects/frameworks.hpp"
#include "conformance/host/subjects/subject_spec.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/report/words/text.hpp"

namespace zerocts {
namespace {

template <typename Value>
std::string Names(const std::vector<Value>& values) {
  std::vector<std::string> names;
  for (const Value& value : values) names.push_back(ToString(value));
  return fmt::format("{}", fmt::join(names, " "));
}

/// "last_micro_batch every_micro_batch", "1 2 4".
std::string ItemsOf(const nlohmann::json& list) {
  std::vector<std::string> items;
  for (const nlohmann::json& item : list) items.push_back(item.is_string() ? item.get<std::string>() : item.dump());
  return fmt::format("{}", fmt::join(items, " "));
}

/// "frozen; gradient_sync last_micro_batch every_micro_batch": what is declared beside the first line; "" when there is
/// no more.
std::string FurtherOf(const Capabilities& can) {
  nlohmann::json further = DeclaredOf(can);
  for (const char* shown :
       {"stages", "param_dtypes", "optimizers", "world_sizes", "ranks_as_threads", "reduction_orders"}) {
    further.erase(shown);
  }
  std::vector<std::string> declared;
  for (const auto& [name, value] : further.items()) {
    declared.push_back(value.is_array() ? fmt::format("{} {}", name, ItemsOf(value)) : name);
  }
  return fmt::format("{}", fmt::join(declared, "; "));
}

SubjectInfo Describe(const SubjectSpec& spec) {
  SubjectInfo subject = AskSubject(spec);
  const Capabilities& can = subject.capabilities;
  fmt::print("{} {}\n{}", spec.text, Printable(subject.version), Wrap(Printable(subject.description), 100, 2));
  fmt::print("  stages {}; {}; {}; world sizes {} to {}{}; orders {}\n", fmt::join(can.stages, " "),
             Names(can.param_dtypes), Names(can.optimizers), can.min_world_size, can.max_world_size,
             can.ranks_as_threads ? ", also as threads" : "",
             can.reduction_orders.empty() ? "not declared" : fmt::format("{}", fmt::join(can.reduction_orders, " ")));
  if (const std::string further = FurtherOf(can); !further.empty()) fmt::print("{}", Wrap("also " + further, 100, 2));
  return subject;
}

/// One that does not start must not hide the others.
void DescribeOrSayWhyNot(const std::string& name) {
  try {
    const SubjectSpec spec = ResolveSubject(name);
    fmt::print("{}", ChoicesText(spec, Describe(spec)));
  } catch (const StartEnded& broken) {
    fmt::print("{}\n{}", name, Wrap(Printable(broken.what()), 100, 2));
  }
}

std::map<std::string, std::string> Ready() {
  return FrameworkSubjects().empty() ? std::map<std::string, std::string>{} : ReadyFrameworks();
}

void SayThatItIsNotInstalled(const FrameworkSubject& subject) {
  fmt::print("{}  {} {}, not installed yet: the first zerocts check --subject {} does\n", subject.name,
             subject.framework, subject.version, subject.name);
}

/// Each framework takes seconds to start, so none is asked.
void ListAll() {
  for (const std::string& name : KnownSubjects()) Describe(ResolveSubject(name));
  const auto ready = Ready();
  for (const FrameworkSubject& subject : FrameworkSubjects()) {
    if (ready.contains(subject.framework)) {
      fmt::print("{}  {} {}, installed: zerocts subjects {} asks what it declares\n", subject.name, subject.framework,
                 subject.version, subject.name);
    } else {
      SayThatItIsNotInstalled(subject);
    }
  }
  fmt::print(
      "\nAlso: torch:FILE:CLASS of your own sharded optimizer, plugin:PATH of a shared library that exports "
      "zerocts_subject_v1, and exec:COMMAND of ranks that speak the rank protocol.\n");
}

/// Only who is installed is asked: this must not install anything.
void AskEach(const std::vector<std::string>& names) {
  const auto ready = Ready();
  const std::vector<FrameworkSubject>& frameworks = FrameworkSubjects();
  for (const std::string& name : names) {
    const auto framework = std::ranges::find(frameworks, name, &FrameworkSubject::name);
    if (framework != frameworks.end() && !ready.contains(framework->framework)) {
      SayThatItIsNotInstalled(*framework);
    } else {
      DescribeOrSayWhyNot(name);
    }
  }
}

}  // namespace

void AddSubjectsCommand(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand(
      "subjects",
      "The subjects that can be named; of each that is named what it declares, its options, and what is not there yet");
  auto names = std::make_shared<std::vector<std::string>>();
  command->add_option(
      "SUBJECT", *names,
      "Who is asked what it declares, also torch:FILE:CLASS, plugin:PATH or exec:\"CMD\"; default: all plugins");
  command->callback([names, &exit_code] {
    names->empty() ? ListAll() : AskEach(*names);
    exit_code = 0;
  });
}

}  // namespace zerocts
