// What NCCL and a profiler plugin say to each other: version 4 of that table, which NCCL takes since 2.27. Written down
// here because the header that has it is not installed with NCCL.
#pragma once
#include <nccl.h>

#include <cstddef>
#include <cstdint>

namespace zerocts::engine {

enum NcclEventType : uint8_t {
  kNcclGroupEvent = 1 << 0,
  kNcclCollectiveEvent = 1 << 1,
  kNcclPointToPointEvent = 1 << 2
};

struct NcclEvent {
  uint8_t type;  // NcclEventType; there are more
  void* parent;
  int rank;
  union {
    struct {
      uint64_t sequence;
      const char* function;
      const void* send;
      void* receive;
      size_t count;
      int root;
      const char* datatype;
      uint8_t channels, warps;
      const char *algorithm, *protocol;
    } collective;
    struct {
      const char* function;
      void* buffer;
      const char* datatype;
      size_t count;
      int peer;
      uint8_t channels;
    } point_to_point;
  };
};

struct NcclProfilerTable {
  const char* name;
  ncclResult_t (*init)(void** context, int* activation_mask, const char* comm_name, uint64_t comm_hash, int nodes,
                       int ranks, int rank, void* log);
  ncclResult_t (*start_event)(void* context, void** handle, NcclEvent* event);
  ncclResult_t (*stop_event)(void* handle);
  ncclResult_t (*record_event_state)(void* handle, int state, void* arguments);
  ncclResult_t (*finalize)(void* context);
};

inline constexpr const char* kNcclProfilerSymbol = "ncclProfiler_v4";
inline constexpr const char* kNcclProfileVariable = "ZEROCTS_NCCL_PROFILE";  // the file; %h: host, %p: process

}  // namespace zerocts::engine
