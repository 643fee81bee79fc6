#include <zerocts/library/communicator.hpp>

#include <exception>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "impl/comm/backends.hpp"
#include "impl/library/ends.hpp"
#include "impl/library/meeting.hpp"

namespace zerocts::library {
namespace {

engine::CommunicatorSettings PlaceOf(int rank, int world_size, const CommunicatorSettings& chosen) {
  engine::CommunicatorSettings place;
  place.rank = rank;
  place.world_size = world_size;
  place.deadline = chosen.deadline;
  return place;
}

engine::CommunicatorSettings PlaceOfThread(int rank, int world_size, const CommunicatorSettings& chosen,
                                           engine::Rendezvous rendezvous) {
  engine::CommunicatorSettings place = PlaceOf(rank, world_size, chosen);
  place.rendezvous = std::move(rendezvous);
  place.ranks_share_process = true;
  return place;
}

Communicator Joined(engine::CommunicatorSettings place, const CommunicatorSettings& chosen) {
  return Communicator(std::make_shared<Communicator::Ends>(std::move(place), chosen));
}

}  // namespace

Communicator::Ends::Ends(engine::CommunicatorSettings place_of_rank, const CommunicatorSettings& chosen_settings)
    : chosen(chosen_settings),
      place(std::move(place_of_rank)),
      device(MakeDevice(false)),
      stream(device->MakeStream(engine::StreamRole::kCommunication)),
      world(engine::MakeCommunicator(chosen.transport, SettingsOn(*device))) {}

std::unique_ptr<engine::Device> Communicator::Ends::MakeDevice(bool overlap) {
  engine::DeviceSettings settings;
  settings.overlap = overlap;
  settings.rank = place.rank;
  settings.gpu = engine::DeviceSettings::kGpuOfRank;
  return engine::MakeDevice(chosen.device, memory, settings);
}

engine::CommunicatorSettings Communicator::Ends::SettingsOn(engine::Device& used) {
  engine::CommunicatorSettings settings = place;
  settings.device = &used;
  settings.rendezvous = Named(std::to_string(made++) + ".", place.rendezvous);
  return settings;
}

Communicator Communicator::Alone(const CommunicatorSettings& settings) {
  return Joined(PlaceOfThread(0, 1, settings, MeetInProcess(settings.deadline)), settings);
}

Communicator Communicator::OfMpi(const CommunicatorSettings& settings) {
  const engine::PlaceInMpi place = engine::FindPlaceInMpi();
  CommunicatorSettings chosen = settings;
  if (chosen.transport == "auto") chosen.transport = "mpi";
  return Joined(PlaceOf(place.rank, place.world_size, chosen), chosen);
}

Communicator Communicator::OfProcesses(int rank, int world_size, const std::string& folder,
                                       const CommunicatorSettings& settings) {
  engine::CommunicatorSettings place = PlaceOf(rank, world_size, settings);
  place.rendezvous = MeetInFolder(folder, settings.deadline);
  return Joined(std::move(place), settings);
}

int Communicator::rank() const { return ends_->place.rank; }
int Communicator::world_size() const { return ends_->place.world_size; }
std::string Communicator::transport() const { return ends_->world->name(); }
void Communicator::Barrier() const { ends_->world->Barrier("barrier"); }

void RunOnThreads(int world_size, const std::function<void(const Communicator&)>& body,
                  const CommunicatorSettings& settings) {
  if (world_size < 1) {
    throw std::invalid_argument("world_size is " + std::to_string(world_size) + ": expected at least 1");
  }
  const engine::Rendezvous rendezvous = MeetInProcess(settings.deadline);
  std::mutex mutex;
  std::exception_ptr first;
  std::vector<std::jthread> ranks;
  for (int rank = 0; rank < world_size; ++rank) {
    ranks.emplace_back([&, rank] {
      std::optional<Communicator> communicator;  // outlives what `body` throws: its end makes other ranks fail
      try {
        communicator = Joined(PlaceOfThread(rank, world_size, settings, rendezvous), settings);
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
