#include "conformance/host/system/file_traffic.hpp"

#include <fmt/format.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "conformance/host/system/process_state.hpp"

namespace zerocts {
namespace {

/// Counts write and read in all forms, whatever they move to; pages of files that were made dirty through a mapping
/// are among `write_bytes` alone.
FileTraffic MovedBy(std::istream& io) {
  int64_t read = 0, written = 0, dirtied = 0;
  std::string name;
  for (int64_t bytes = 0; io >> name >> bytes;) {
    if (name == "rchar:") read = bytes;
    if (name == "wchar:") written = bytes;
    if (name == "write_bytes:") dirtied = bytes;
  }
  return {std::max(written, dirtied), read};
}

/// What the connections of this process carried that are open now.
FileTraffic CarriedByTcp() {
  FileTraffic carried;
  std::error_code error;
  for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
    tcp_info info{};
    socklen_t bytes = sizeof(info);
    const int descriptor = std::atoi(entry.path().filename().c_str());
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0) continue;
    carried.written_bytes += static_cast<int64_t>(info.tcpi_bytes_sent - info.tcpi_bytes_retrans);
    carried.read_bytes += static_cast<int64_t>(info.tcpi_bytes_received);
  }
  return carried;
}

}  // namespace

FileTraffic FileTrafficOf(const std::vector<pid_t>& processes, std::set<std::string>& unread) {
  const FileTraffic tcp = CarriedByTcp();
  FileTraffic sum = {-tcp.written_bytes, -tcp.read_bytes};
  for (const pid_t process : processes) {
    std::ifstream io(fmt::format("/proc/{}/io", process));
    if (!io && IsHidden(process, errno)) unread.insert("/proc/PID/io");
    const FileTraffic moved = MovedBy(io);
    sum.written_bytes += moved.written_bytes;
    sum.read_bytes += moved.read_bytes;
  }
  return sum;
}

}  // namespace zerocts
