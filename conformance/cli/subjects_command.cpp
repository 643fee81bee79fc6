// zerocts subjects: who can be judged by name, and what each declares.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

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

/// "frozen; gradient_sync last each": what minor version 1 of the ABI brought; "" when nothing of it is declared.
std::string OfMinorVersion1(const Capabilities& can) {
  std::vector<std::string> declared;
  const nlohmann::json newer = SinceMinorVersion1(can);
  for (const auto& [name, value] : newer.items()) {
    if (name == "optimizers") continue;  // stand with the others
    declared.push_back(value.is_array() ? fmt::format("{} {}", name, fmt::join(value.get<std::vector<std::string>>(), " ")) : name);
  }
  return fmt::format("{}", fmt::join(declared, "; "));
}

void Describe(const std::string& name) {
  const SubjectInfo subject = AskSubject(ResolveSubject(name));
  const Capabilities& can = subject.capabilities;
  fmt::print("{} {}\n{}", name, Printable(subject.version), Wrap(Printable(subject.description), 100, 2));
  fmt::print("  stages {}; {}; {}; world sizes {} to {}{}; orders {}\n", fmt::join(can.stages, " "), Names(can.param_dtypes),
             Names(can.optimizers), can.min_world_size, can.max_world_size, can.ranks_as_threads ? ", also as threads" : "",
             can.reduction_orders.empty() ? "not declared" : fmt::format("{}", fmt::join(can.reduction_orders, " ")));
  if (const std::string newer = OfMinorVersion1(can); !newer.empty()) fmt::print("{}", Wrap("also " + newer, 100, 2));
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
