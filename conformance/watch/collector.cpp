#include "conformance/watch/collector.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/steady_time.hpp"
#include "conformance/watch/record_stream.hpp"

namespace zerocts::watch {
namespace {

constexpr auto kSilence = std::chrono::seconds(10);
constexpr int kPollMilliseconds = 200;
constexpr int kBacklog = 1024;

[[noreturn]] void ThrowNoSocket(const std::string& what) {
  throw HarnessError(fmt::format("cannot make a socket for the ranks: {}: {}", what, std::strerror(errno)));
}

}  // namespace

struct Collector::Connection {
  int file = -1;
  RecordStream stream;
};

Collector::Collector() {
  std::string pattern = (std::filesystem::temp_directory_path() / "zerocts-watch-XXXXXX").string();
  if (!mkdtemp(pattern.data())) ThrowNoSocket(pattern);
  folder_ = pattern;
  path_ = folder_ + "/judge";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path_.size() >= sizeof(address.sun_path))
    throw HarnessError(
        fmt::format("expected a short path for temporary files, got {}; set TMPDIR to a shorter one", path_));
  std::strcpy(address.sun_path, path_.c_str());
  socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0 || bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      listen(socket_, kBacklog) != 0)
    ThrowNoSocket(path_);
}

Collector::~Collector() {
  if (socket_ >= 0) close(socket_);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void Collector::Tell(const std::string& line) {
  for (const Connection& connection : connections_)
    static_cast<void>(send(connection.file, line.data(), line.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
}

void Collector::LeaveToOther() {
  close(socket_);
  socket_ = -1;
}

void Collector::Run(int done, const std::function<void(const Record&, std::string_view)>& take,
                    const std::function<void(const std::string&)>& refuse) {
  std::vector<Connection>& connections = connections_;
  std::vector<char> piece(1 << 20);
  bool is_done = false;
  SteadyTime heard = std::chrono::steady_clock::now();
  while (!is_done || !connections.empty()) {
    std::vector<pollfd> files = {{socket_, POLLIN, 0}};
    if (!is_done) files.push_back({done, POLLIN, 0});
    for (const Connection& connection : connections) files.push_back({connection.file, POLLIN, 0});
    const int ready = poll(files.data(), files.size(), kPollMilliseconds);
    const SteadyTime now = std::chrono::steady_clock::now();
    if (ready > 0) heard = now;
    if (is_done && now - heard > kSilence) break;
    if (ready <= 0) continue;
    const size_t first = files.size() - connections.size();
    for (size_t i = connections.size(); i-- > 0;) {
      if (!files[first + i].revents) continue;
      Connection& connection = connections[i];
      const ssize_t got = read(connection.file, piece.data(), piece.size());
      bool is_over = got == 0 || (got < 0 && errno != EINTR);
      try {
        if (got > 0) connection.stream.Append({piece.data(), static_cast<size_t>(got)});
        while (const auto next = connection.stream.Pop()) take(next->record, next->bytes);
      } catch (const BadRecord& bad) {
        refuse(bad.what());
        is_over = true;
      }
      if (!is_over) continue;
      close(connection.file);
      connections.erase(connections.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (files[0].revents) {
      const int accepted = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
      if (accepted >= 0) connections.push_back({accepted, {}});
    }
    if (!is_done && files[1].revents) {
      is_done = true;
      heard = now;
    }
  }
  for (const Connection& connection : connections) close(connection.file);
}

}  // namespace zerocts::watch
