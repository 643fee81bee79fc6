#include "conformance/plans/read/orbax/orbax_processes.hpp"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

#include "conformance/plans/read/files.hpp"
#include "conformance/plans/read/orbax/ocdbt_manifest.hpp"

namespace zerocts::read {
namespace {

constexpr int kMostProcesses = 1 << 20;
constexpr size_t kMostFaults = 1000;
constexpr const char* kDescriptions = "array_metadatas";

/// 3 of "process_3", where the prefix is "process_".
std::set<int> NumbersIn(const std::string& folder, std::string_view prefix) {
  std::set<int> numbers;
  for (const std::string& name : NamesIn(folder)) {
    if (!name.starts_with(prefix)) continue;
    int number = -1;
    const char* end = name.data() + name.size();
    const auto read = std::from_chars(name.data() + prefix.size(), end, number);
    if (read.ec != std::errc() || read.ptr != end || number < 0 || number >= kMostProcesses)
      throw std::invalid_argument(fmt::format("{}: expected the number of a process below {}", name, kMostProcesses));
    numbers.insert(number);
  }
  return numbers;
}

void JudgeMissing(const std::set<int>& there, const OrbaxProcesses& processes, const std::string& what,
                  std::vector<std::string>& faults) {
  for (int process = 0; process <= processes.last && faults.size() <= kMostFaults; ++process) {
    if (!there.contains(process))
      faults.push_back(fmt::format("{}{} is missing: the last process is {}", what, process, processes.last));
  }
}

}  // namespace

OrbaxProcesses OrbaxProcessesIn(const std::string& folder, std::vector<std::string>& faults) {
  OrbaxProcesses processes;
  const std::string descriptions = folder + "/" + kDescriptions;
  if (IsFolder(descriptions)) processes.described = NumbersIn(descriptions, "process_");
  processes.wrote = NumbersIn(folder, "ocdbt.process_");
  for (const int process : processes.described) {
    const std::string name = fmt::format("{}/process_{}", kDescriptions, process);
    auto shapes = NamingFile(name, [&] { return OrbaxShapesFrom(TextOfFile(folder + "/" + name, kJsonLimits.bytes)); });
    const int first = *processes.described.begin();
    if (process == first) {
      processes.shapes = std::move(shapes);
    } else if (shapes != processes.shapes) {
      faults.push_back(fmt::format("{} has other arrays or shapes than that of process {}", name, first));
    }
  }
  for (const std::set<int>* numbers : {&processes.described, &processes.wrote}) {
    if (!numbers->empty()) processes.last = std::max(processes.last, *numbers->rbegin());
  }
  JudgeMissing(processes.described, processes, std::string(kDescriptions) + "/process_", faults);
  return processes;
}

void JudgeDataBases(const std::string& folder, const OrbaxProcesses& processes, bool all_write,
                    std::vector<std::string>& faults) {
  std::vector<std::string> names = {"manifest.ocdbt"};
  for (const int process : processes.wrote) names.push_back(fmt::format("ocdbt.process_{}/manifest.ocdbt", process));
  for (const std::string& name : names) {
    const std::string problem = ProblemOfManifest(folder, name);
    if (!problem.empty()) faults.push_back(problem);
  }
  if (all_write) JudgeMissing(processes.wrote, processes, "every process wrote, folder ocdbt.process_", faults);
}

}  // namespace zerocts::read
