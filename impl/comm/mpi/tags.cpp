#include "impl/comm/mpi/tags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <stdexcept>

#include "impl/comm/mpi/runtime.hpp"

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

}  // namespace zerocts::engine
