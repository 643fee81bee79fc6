// libnccl-profiler-zerocts.so: writes down every collective and message that a program gives to NCCL, one line of JSON
// each, when NCCL takes it. The program needs no change: NCCL_PROFILER_PLUGIN names this library.
#include "impl/comm/nccl/profiler.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

namespace zerocts::engine {
namespace {

constexpr const char* kUsualFile = "nccl-profile-%h-%p.ndjson";

struct ProfiledCommunicator {
  std::string hash, name;
  int rank, ranks, nodes;
};

std::string Replaced(std::string text, const std::string& what, const std::string& by) {
  for (size_t at; (at = text.find(what)) != std::string::npos;) text.replace(at, what.size(), by);
  return text;
}

std::string FileName() {
  const char* given = std::getenv(kNcclProfileVariable);
  char host[256] = "host";
  gethostname(host, sizeof host - 1);
  return Replaced(Replaced(given ? given : kUsualFile, "%p", std::to_string(getpid())), "%h", host);
}

/// Opened at the first use; -1, after a sentence, when it cannot be.
int File() {
  static const int file = [] {
    const std::string name = FileName();
    const int fd = open(name.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0) {
      std::fprintf(stderr,
                   "zerocts: %s cannot be written (%s): NCCL's calls are not recorded; set %s to another file\n",
                   name.c_str(), std::strerror(errno), kNcclProfileVariable);
    }
    return fd;
  }();
  return file;
}

/// One write per line, so that lines of several threads do not mix.
void Write(const nlohmann::json& record) {
  const std::string line = record.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  if (write(File(), line.data(), line.size()) < 0) return;  // said when the file was opened
}

int64_t Now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

const char* OrEmpty(const char* text) { return text ? text : ""; }

ncclResult_t Init(void** context, int* activation_mask, const char* comm_name, uint64_t comm_hash, int nodes, int ranks,
                  int rank, void*) {
  if (File() < 0) return ncclSystemError;  // NCCL goes on without a profiler
  char hash[32];
  std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(comm_hash));
  *context = new ProfiledCommunicator{hash, OrEmpty(comm_name), rank, ranks, nodes};
  *activation_mask = kNcclCollectiveEvent | kNcclPointToPointEvent;
  Write({{"event", "communicator"},
         {"comm", hash},
         {"name", OrEmpty(comm_name)},
         {"rank", rank},
         {"ranks", ranks},
         {"nodes", nodes},
         {"time_ns", Now()}});
  return ncclSuccess;
}

ncclResult_t StartEvent(void* context, void** handle, NcclEvent* event) {
  *handle = nullptr;  // the end of an event tells nothing about the GPU
  const auto& comm = *static_cast<const ProfiledCommunicator*>(context);
  nlohmann::json record = {{"comm", comm.hash}, {"rank", comm.rank}, {"ranks", comm.ranks}, {"time_ns", Now()}};
  if (event->type == kNcclCollectiveEvent) {
    const auto& call = event->collective;
    record.update({{"event", "collective"},
                   {"sequence", call.sequence},
                   {"function", OrEmpty(call.function)},
                   {"count", call.count},
                   {"datatype", OrEmpty(call.datatype)},
                   {"root", call.root},
                   {"algorithm", OrEmpty(call.algorithm)},
                   {"protocol", OrEmpty(call.protocol)},
                   {"channels", call.channels},
                   {"in_place", call.send == call.receive}});
  } else if (event->type == kNcclPointToPointEvent) {
    const auto& call = event->point_to_point;
    record.update({{"event", "message"},
                   {"function", OrEmpty(call.function)},
                   {"count", call.count},
                   {"datatype", OrEmpty(call.datatype)},
                   {"peer", call.peer},
                   {"channels", call.channels}});
  } else {
    return ncclSuccess;
  }
  Write(record);
  return ncclSuccess;
}

ncclResult_t StopEvent(void*) { return ncclSuccess; }
ncclResult_t RecordEventState(void*, int, void*) { return ncclSuccess; }

ncclResult_t Finalize(void* context) {
  delete static_cast<ProfiledCommunicator*>(context);
  return ncclSuccess;
}

}  // namespace
}  // namespace zerocts::engine

extern "C" __attribute__((visibility("default")))
const zerocts::engine::NcclProfilerTable ncclProfiler_v4 = {"zerocts",
                                                            zerocts::engine::Init,
                                                            zerocts::engine::StartEvent,
                                                            zerocts::engine::StopEvent,
                                                            zerocts::engine::RecordEventState,
                                                            zerocts::engine::Finalize};
