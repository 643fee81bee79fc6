// The socket on which ranks send their records.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "conformance/watch/records.hpp"

namespace zerocts::watch {

/// A socket in a folder of its own, which nobody else may enter; gone with the collector.
class Collector {
 public:
  /// Throws HarnessError where there is no place for it.
  Collector();
  ~Collector();
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  const std::string& path() const { return path_; }

  /// Takes connections and gives each record, and its bytes, to `take`, until `done` can be read to its end and no rank
  /// is connected any more. A rank that stays connected and silent for ten seconds after that is left. `refuse` hears
  /// why the records of a connection are not taken any more.
  void Run(int done, const std::function<void(const Record&, std::string_view bytes)>& take,
           const std::function<void(const std::string&)>& refuse);

  /// To every rank that is connected and listens.
  void Tell(const std::string& line);

  /// In a process that does not run it: closes the socket, so that ranks meet nobody once the one that does is gone.
  void LeaveToOther();

 private:
  struct Connection;
  std::vector<Connection> connections_;
  std::string folder_, path_;
  int socket_ = -1;
};

}  // namespace zerocts::watch
