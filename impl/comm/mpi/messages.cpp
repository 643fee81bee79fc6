#include "impl/comm/mpi/messages.hpp"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <stdexcept>

#include "impl/comm/mpi/runtime.hpp"
#include "impl/comm/poll_pause.hpp"

namespace zerocts::engine {
namespace {

constexpr int kCalls = 128;  // tags of one communicator, in turn; a peer is at most one call ahead
constexpr int kMostNumbers = 65536;

std::mutex tags_mutex;
std::map<int, std::string> taken;             // by communicators that live: number -> "row, communicator 1"
std::map<std::string, int> communicators_of;  // a group, ever

/// FNV-1a: the same on every rank and every machine.
uint64_t Hash(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash ^ (hash >> 32);
}

constexpr int64_t kLargestMessage = int64_t{1} << 30;  // bytes; MPI counts in int

template <class Post>
void InParts(int64_t bytes, const Post& post) {
  int64_t begin = 0;
  do {  // also an empty message, so that it says that its rank has come
    const int64_t size = std::min(kLargestMessage, bytes - begin);
    post(begin, static_cast<int>(size));
    begin += size;
  } while (begin < bytes);
}

}  // namespace

MpiTags::MpiTags(const std::string& group) {
  const std::lock_guard lock(tags_mutex);
  const std::string name = fmt::format("{}, communicator {}", group, ++communicators_of[group]);
  const int numbers = std::min(kMostNumbers, LargestMpiTag() / kCalls);
  number_ = static_cast<int>(Hash(name) % static_cast<uint64_t>(numbers));
  const auto [entry, free] = taken.emplace(number_, name);
  if (!free) {
    throw std::runtime_error(fmt::format(
        "comm mpi: groups '{}' and '{}' have the same tags by chance; give one another name", entry->second, name));
  }
}

MpiTags::~MpiTags() {
  const std::lock_guard lock(tags_mutex);
  taken.erase(number_);
}

int MpiTags::ForCall(uint64_t sequence) const { return number_ * kCalls + static_cast<int>(sequence % kCalls); }

MpiMessages::~MpiMessages() {
  const bool under_way =
      std::any_of(rounds_.begin(), rounds_.end(), [](const Round& r) { return !r.requests.empty(); });
  if (under_way) MarkMpiBroken();
}

void MpiMessages::Send(const void* data, int64_t bytes, int peer, size_t round) {
  const auto* from = static_cast<const std::byte*>(data);
  const std::lock_guard lock(MpiMutex());
  InParts(bytes, [&](int64_t begin, int size) {
    CheckMpi(
        MPI_Isend(from + begin, size, MPI_BYTE, group_.members[peer], tag_, MPI_COMM_WORLD, Add(round, {peer, false})),
        "MPI_Isend");
  });
}

void MpiMessages::Receive(void* data, int64_t bytes, int peer, size_t round) {
  auto* to = static_cast<std::byte*>(data);
  const std::lock_guard lock(MpiMutex());
  InParts(bytes, [&](int64_t begin, int size) {
    CheckMpi(
        MPI_Irecv(to + begin, size, MPI_BYTE, group_.members[peer], tag_, MPI_COMM_WORLD, Add(round, {peer, true})),
        "MPI_Irecv");
  });
}

void MpiMessages::Complete(size_t round) {
  if (round >= rounds_.size()) return;
  for (PollPause pause; !AllDone(rounds_[round]); pause.Wait()) {
    if (call_.expired()) throw call_.Timeout(Abandon());
  }
  rounds_[round] = {};
}

void MpiMessages::Progress() {
  for (Round& round : rounds_) AllDone(round);
}

MPI_Request* MpiMessages::Add(size_t round, About about) {
  if (round >= rounds_.size()) rounds_.resize(round + 1);
  rounds_[round].about.push_back(about);
  return &rounds_[round].requests.emplace_back(MPI_REQUEST_NULL);
}

bool MpiMessages::AllDone(Round& round) {
  const std::lock_guard lock(MpiMutex());
  int done = 0;
  CheckMpi(MPI_Testall(static_cast<int>(round.requests.size()), round.requests.data(), &done, MPI_STATUSES_IGNORE),
           "MPI_Testall");
  return done != 0;
}

Arrivals MpiMessages::Abandon() {
  const std::lock_guard lock(MpiMutex());
  std::vector<bool> missing(static_cast<size_t>(group_.size()), false);
  for (Round& round : rounds_) {
    for (size_t i = 0; i < round.requests.size(); ++i) {
      int done = 0;
      MPI_Test(&round.requests[i], &done, MPI_STATUS_IGNORE);
      if (done) continue;
      missing[round.about[i].peer] = true;
      if (round.about[i].receives) MPI_Cancel(&round.requests[i]);
      MPI_Request_free(&round.requests[i]);
    }
  }
  Arrivals arrivals;
  for (int rank = 0; rank < group_.size(); ++rank) {
    (missing[rank] ? arrivals.missing : arrivals.arrived).push_back(rank);
  }
  return arrivals;
}

}  // namespace zerocts::engine
