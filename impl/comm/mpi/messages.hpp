// Messages of one collective that are under way, in rounds. Only calls that can be polled, so every wait has a
// deadline.
#pragma once
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "impl/comm/collective_call.hpp"

namespace zerocts::engine {

/// A range of tags that belongs to one communicator of this process. All members of a group find the same one, from the
/// group's name and how many communicators it had before; nothing needs to be exchanged.
class MpiTags {
 public:
  /// Throws std::runtime_error when a group of another name has these tags.
  explicit MpiTags(const std::string& group);
  ~MpiTags();
  MpiTags(const MpiTags&) = delete;
  MpiTags& operator=(const MpiTags&) = delete;

  int ForCall(uint64_t sequence) const;

 private:
  int number_ = 0;
};

inline constexpr int64_t kChunkBytes = 256 * 1024;  // of one peer's part that is received at once

/// A chunk of parts of at most `bytes`, whole lines, so that what follows it can be read as any type.
inline int64_t ChunkBytesFor(int64_t bytes) { return std::min(kChunkBytes, (bytes + 63) / 64 * 64); }

/// Peers are ranks of the group. Destroyed while messages are under way, it marks MPI as broken.
class MpiMessages {
 public:
  MpiMessages(const CollectiveCall& call, const Group& group, int tag) : call_(call), group_(group), tag_(tag) {}
  ~MpiMessages();
  MpiMessages(const MpiMessages&) = delete;
  MpiMessages& operator=(const MpiMessages&) = delete;

  /// Messages between two ranks meet in the order in which both name them.
  void Send(const void* data, int64_t bytes, int peer, size_t round = 0);
  void Receive(void* data, int64_t bytes, int peer, size_t round = 0);

  /// Returns when all of this round are sent and received. Throws CollectiveTimeout naming the peers whose messages did
  /// not come.
  void Complete(size_t round = 0);

  /// Lets messages of all rounds go on, for who waits for something else. Peers may wait for what this rank sends.
  void Progress();

 private:
  struct About {
    int peer;
    bool receives;
  };
  struct Round {
    std::vector<MPI_Request> requests;
    std::vector<About> about;
  };

  MPI_Request* Add(size_t round, About about);
  bool AllDone(Round& round);
  Arrivals Abandon();

  const CollectiveCall& call_;
  const Group& group_;
  const int tag_;
  std::vector<Round> rounds_;
};

}  // namespace zerocts::engine
