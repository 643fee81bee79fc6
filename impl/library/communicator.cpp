#include <zerocts/library/communicator.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "impl/comm/backends.hpp"
#include "impl/comm/communicator.hpp"
#include "impl/library/ends.hpp"

namespace zerocts::library {
namespace {

constexpr std::chrono::milliseconds kPause{1};

[[noreturn]] void NobodySet(const std::string& key, std::chrono::milliseconds deadline) {
  throw engine::CollectiveTimeout(fmt::format("{}: waited {} ms for the rank that begins it", key, deadline.count()));
}

struct ValuesOfProcess {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, std::string> of_key;
};

/// Shared by all copies of the value that is returned.
engine::Store MeetInProcess(std::chrono::milliseconds deadline) {
  const auto values = std::make_shared<ValuesOfProcess>();
  engine::Store store;
  store.set = [values](const std::string& key, const std::string& value) {
    const std::lock_guard lock(values->mutex);
    values->of_key[key] = value;
    values->changed.notify_all();
  };
  store.get = [values, deadline](const std::string& key, size_t) {
    std::unique_lock lock(values->mutex);
    const auto is_set = [&] { return values->of_key.contains(key); };
    if (!values->changed.wait_for(lock, deadline, is_set)) NobodySet(key, deadline);
    return values->of_key[key];
  };
  return store;
}

/// One file per key. Throws std::invalid_argument where `folder` is none.
engine::Store MeetInFolder(const std::string& folder, std::chrono::milliseconds deadline) {
  namespace fs = std::filesystem;
  if (!fs::is_directory(folder)) {
    throw std::invalid_argument(fmt::format("{}: expected an empty folder where the ranks meet", folder));
  }
  engine::Store store;
  store.set = [folder](const std::string& key, const std::string& value) {
    const fs::path file = fs::path(folder) / key;
    if (fs::exists(file)) {
      throw std::invalid_argument(
          fmt::format("{}: expected that no earlier ranks have met in this folder", file.string()));
    }
    const fs::path written = file.string() + fmt::format(".{}", getpid());
    std::ofstream(written, std::ios::binary) << value;
    fs::rename(written, file);  // others see all of it or nothing
  };
  store.get = [folder, deadline](const std::string& key, size_t bytes) {
    const auto end = std::chrono::steady_clock::now() + deadline;
    const fs::path file = fs::path(folder) / key;
    while (!fs::exists(file)) {
      if (std::chrono::steady_clock::now() > end) NobodySet(file.string(), deadline);
      std::this_thread::sleep_for(kPause);
    }
    std::ifstream in(file, std::ios::binary);
    std::string value{std::istreambuf_iterator<char>(in), {}};
    if (value.size() == bytes) return value;
    throw std::runtime_error(fmt::format("{}: expected {} bytes, got {}", file.string(), bytes, value.size()));
  };
  return store;
}

/// The same store, with `name` before each key.
engine::Store Named(const std::string& name, const engine::Store& store) {
  return {[=, set = store.set](const std::string& key, const std::string& value) { set(name + key, value); },
          [=, get = store.get](const std::string& key, size_t bytes) { return get(name + key, bytes); }};
}

engine::CommunicatorSettings RankSettingsOf(int rank, int world_size, const CommunicatorSettings& chosen) {
  engine::CommunicatorSettings rank_settings;
  rank_settings.rank = rank;
  rank_settings.world_size = world_size;
  rank_settings.deadline = chosen.deadline;
  return rank_settings;
}

engine::CommunicatorSettings RankSettingsOfThread(int rank, int world_size, const CommunicatorSettings& chosen,
                                                  engine::Store store) {
  engine::CommunicatorSettings rank_settings = RankSettingsOf(rank, world_size, chosen);
  rank_settings.store = std::move(store);
  rank_settings.ranks_share_process = true;
  return rank_settings;
}

Communicator Joined(engine::CommunicatorSettings rank_settings, const CommunicatorSettings& chosen) {
  return Communicator(std::make_shared<Communicator::Ends>(std::move(rank_settings), chosen));
}

}  // namespace

Communicator::Ends::Ends(engine::CommunicatorSettings settings_of_rank, const CommunicatorSettings& chosen_settings)
    : chosen(chosen_settings),
      rank_settings(std::move(settings_of_rank)),
      device(MakeDevice(false)),
      stream(device->MakeStream(engine::StreamRole::kCommunication)),
      world(engine::MakeCommunicator(chosen.transport, SettingsOn(*device))) {}

std::unique_ptr<engine::Device> Communicator::Ends::MakeDevice(bool overlap) {
  engine::DeviceSettings settings;
  settings.overlap = overlap;
  settings.rank = rank_settings.rank;
  settings.gpu = engine::DeviceSettings::kGpuOfRank;
  return engine::MakeDevice(chosen.device, memory, settings);
}

engine::CommunicatorSettings Communicator::Ends::SettingsOn(engine::Device& used) {
  engine::CommunicatorSettings settings = rank_settings;
  settings.device = &used;
  settings.store = Named(std::to_string(made++) + ".", rank_settings.store);
  return settings;
}

Communicator Communicator::Alone(const CommunicatorSettings& settings) {
  return Joined(RankSettingsOfThread(0, 1, settings, MeetInProcess(settings.deadline)), settings);
}

Communicator Communicator::OfMpi(const CommunicatorSettings& settings) {
  const engine::RankInMpi mine = engine::FindRankInMpi();
  CommunicatorSettings chosen = settings;
  if (chosen.transport == "auto") chosen.transport = "mpi";
  return Joined(RankSettingsOf(mine.rank, mine.world_size, chosen), chosen);
}

Communicator Communicator::OfProcesses(int rank, int world_size, const std::string& folder,
                                       const CommunicatorSettings& settings) {
  engine::CommunicatorSettings rank_settings = RankSettingsOf(rank, world_size, settings);
  rank_settings.store = MeetInFolder(folder, settings.deadline);
  return Joined(std::move(rank_settings), settings);
}

int Communicator::rank() const { return ends_->rank_settings.rank; }
int Communicator::world_size() const { return ends_->rank_settings.world_size; }
std::string Communicator::transport() const { return ends_->world->name(); }
void Communicator::Barrier() const { ends_->world->Barrier("barrier"); }

void RunOnThreads(int world_size, const std::function<void(const Communicator&)>& body,
                  const CommunicatorSettings& settings) {
  if (world_size < 1) {
    throw std::invalid_argument("world_size is " + std::to_string(world_size) + ": expected at least 1");
  }
  const engine::Store store = MeetInProcess(settings.deadline);
  std::mutex mutex;
  std::exception_ptr first;
  std::vector<std::jthread> ranks;
  for (int rank = 0; rank < world_size; ++rank) {
    ranks.emplace_back([&, rank] {
      std::optional<Communicator> communicator;  // outlives what `body` throws: its end makes other ranks fail
      try {
        communicator = Joined(RankSettingsOfThread(rank, world_size, settings, store), settings);
        body(*communicator);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!first) first = std::current_exception();
      }
    });
  }
  ranks.clear();  // joins
  if (first) std::rethrow_exception(first);
}

void ShutDown() { engine::ShutDownCommunicators(); }

}  // namespace zerocts::library
