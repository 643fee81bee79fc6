// zerocts subjects: who can be judged by name, and what each declares.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "conformance/cli/commands.hpp"
#include "conformance/host/group.hpp"
#include "conformance/host/known_subjects.hpp"
#include "conformance/report/text.hpp"

namespace zerocts {
namespace {

template <typename Value>
std::string Names(const std::vector<Value>& values) {
  std::vector<std::string> names;
  for (const Value& value : values) names.push_back(ToString(value));
  return fmt::format("{}", fmt::join(names, " "));
}

void Describe(const std::string& name) {
  const SubjectInfo subject = AskSubject(ResolveSubject(name));
  const Capabilities& can = subject.capabilities;
  fmt::print("{} {}\n{}", name, Printable(subject.version), Wrap(Printable(subject.description), 100, 2));
  fmt::print("  stages {}; {}; {}; world sizes {} to {}{}; orders {}\n", fmt::join(can.stages, " "), Names(can.param_dtypes),
             Names(can.optimizers), can.min_world_size, can.max_world_size, can.ranks_as_threads ? ", also as threads" : "",
             can.reduction_orders.empty() ? "not declared" : fmt::format("{}", fmt::join(can.reduction_orders, " ")));
}

}  // namespace

void AddSubjectsCommand(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand("subjects", "The subjects that can be named, and what each declares");
  command->callback([&exit_code] {
    for (const std::string& name : KnownSubjects()) Describe(name);
    fmt::print("\nAlso: plugin:PATH of a shared library that exports zerocts_subject_v1.\n");
    exit_code = 0;
  });
}

}  // namespace zerocts
