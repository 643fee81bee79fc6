// Which instruction set and how many threads host operations use.
#include "reference/ops/host_ops.hpp"

#include <charconv>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string_view>

#include "reference/ops/kernel_choices.hpp"
#include "reference/ops/kernel_ops.hpp"

namespace zerocts {
namespace {

/// One object for each table and number of threads that was asked for, never destroyed: ranks may still compute while
/// the process ends.
Ops& OpsOf(const KernelTable& table, int threads) {
  static auto& mutex = *new std::mutex;
  static auto& all = *new std::map<std::pair<const KernelTable*, int>, std::unique_ptr<Ops>>;
  const std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<Ops>& ops = all[{&table, threads}];
  if (!ops) ops = MakeKernelOps(table, threads);
  return *ops;
}

const KernelTable* FindTable(const std::string& kernel_name) {
  for (const KernelTable* table : RunnableKernels()) {
    if (kernel_name == table->name) return table;
  }
  return nullptr;
}

std::string Choices() {
  std::string names;
  for (const std::string& name : HostKernelNames()) names += (names.empty() ? "" : ", ") + name;
  return "this build on this CPU has: " + names;
}

}  // namespace

std::vector<std::string> HostKernelNames() {
  std::vector<std::string> names;
  for (const KernelTable* table : RunnableKernels()) names.emplace_back(table->name);
  return names;
}

Ops& HostOpsWith(const std::string& kernel_name, int threads) {
  if (const KernelTable* table = FindTable(kernel_name)) return OpsOf(*table, threads);
  throw std::invalid_argument("no host kernels named '" + kernel_name + "'; " + Choices());
}

std::string ChosenHostKernels() {
  const char* name = std::getenv("ZEROCTS_KERNELS");
  if (name == nullptr || *name == '\0') return RunnableKernels().back()->name;
  if (FindTable(name) != nullptr) return name;
  throw std::invalid_argument("ZEROCTS_KERNELS names no host kernels: '" + std::string(name) + "'; " + Choices());
}

int ChosenHostThreads() {
  const char* variable = std::getenv("ZEROCTS_THREADS");
  if (variable == nullptr || *variable == '\0') return 1;
  const std::string_view text = variable;
  int threads = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
  if (error == std::errc() && end == text.data() + text.size() && threads >= 1 && threads <= kMostHostThreads)
    return threads;
  throw std::invalid_argument("ZEROCTS_THREADS: expected a number of threads from 1 to " +
                              std::to_string(kMostHostThreads) + ", got '" + std::string(text) + "'");
}

Ops& HostOps() {
  static Ops& chosen = HostOpsWith(ChosenHostKernels(), ChosenHostThreads());
  return chosen;
}

}  // namespace zerocts
