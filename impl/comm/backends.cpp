// Which backend carries a group, and what it needs.
#include "impl/comm/backends.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <stdexcept>

#include "impl/layout/unimplemented.hpp"

namespace zerocts::engine {
namespace {

std::string Choose(const CommunicatorSettings& settings) {
  if (settings.ranks_share_process) return "threads";
  if (!settings.device->host_can_reach()) {
    if (settings.world_size == 1) return "threads";  // it needs no NCCL, and no memory that the host can reach
    if (HasNccl()) return "nccl";
  }
  return StartedByMpi() ? "mpi" : "shm";
}

const Backend* Find(std::string_view name) {
  const auto* found = std::ranges::find(kBackends, name, &Backend::name);
  return found == std::end(kBackends) ? nullptr : found;
}

void RequireMemoryFor(const Backend& backend, const Device& device) {
  if (backend.needs == Needs::kHostMemory && !device.host_can_reach()) {
    throw Unimplemented(
        fmt::format("comm {}: needs memory that the host can reach, which device {} does not have; expected comm nccl, "
                    "or comm threads with ranks that are threads of one process",
                    backend.name, device.name()));
  }
  if (backend.needs == Needs::kGpu && device.host_can_reach()) {
    throw std::invalid_argument(fmt::format("comm {}: needs device cuda, got device {}", backend.name, device.name()));
  }
}

template <class Keep>
std::vector<std::string> NamesWhere(const Keep& keep) {
  std::vector<std::string> names;
  for (const Backend& backend : kBackends) {
    if (keep(backend)) names.emplace_back(backend.name);
  }
  return names;
}

}  // namespace

std::vector<std::string> BackendNamesOfThisBuild() {
  return NamesWhere([](const Backend& backend) { return backend.in_this_build(); });
}

std::vector<std::string> BackendChoices() {
  std::vector<std::string> choices =
      NamesWhere([](const Backend& backend) { return backend.spelling == fmt::format("comm={}", backend.name); });
  choices.insert(choices.begin(), "auto");
  return choices;
}

std::unique_ptr<Communicator> MakeCommunicator(const std::string& backend, const CommunicatorSettings& settings) {
  const std::string name = backend == "auto" ? Choose(settings) : backend;
  const Backend* found = Find(name);
  if (!found) {
    throw Unimplemented(
        fmt::format("backend {} is unknown; this build has: {}", name, fmt::join(BackendNamesOfThisBuild(), ", ")));
  }
  RequireMemoryFor(*found, *settings.device);
  return found->make(settings);
}

std::vector<std::unique_ptr<Communicator>> MakeGroups(const std::string& backend,
                                                      const std::vector<CommunicatorSettings>& groups) {
  const auto alone = [](const CommunicatorSettings& group) { return group.members.size() == 1; };
  const bool nccl = (backend == "auto" ? Choose(groups.front()) : backend) == "nccl";
  std::vector<CommunicatorSettings> of_several;
  std::ranges::copy_if(groups, std::back_inserter(of_several), std::not_fn(alone));
  std::vector<std::unique_ptr<Communicator>> joined;
  if (nccl && of_several.size() > 1 && !groups.front().device->host_can_reach()) {
    joined = MakeNcclGroups(of_several);
  } else {
    for (const CommunicatorSettings& group : of_several) joined.push_back(MakeCommunicator(backend, group));
  }
  std::vector<std::unique_ptr<Communicator>> made;
  auto next = joined.begin();
  for (const CommunicatorSettings& group : groups) {
    made.push_back(alone(group) ? MakeSoloCommunicator(group) : std::move(*next++));
  }
  return made;
}

void ShutDownCommunicators() { ShutDownMpi(); }

}  // namespace zerocts::engine
