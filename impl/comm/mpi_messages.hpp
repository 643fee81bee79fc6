// Messages of one collective that are under way, in rounds. Only calls that can be polled, so every wait has a
// deadline.
#pragma once
#include <mpi.h>

#include <cstdint>
#include <vector>

#include "impl/comm/collective_call.hpp"

namespace zerocts {

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
  Attendance Abandon();

  const CollectiveCall& call_;
  const Group& group_;
  const int tag_;
  std::vector<Round> rounds_;
};

}  // namespace zerocts
