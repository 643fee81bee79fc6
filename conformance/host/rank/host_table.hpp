// The host as one rank's subject sees it through zerocts_subject.h, for the length of one case.
#pragma once
#include <memory>
#include <string>

#include "conformance/abi/zerocts_subject.h"
#include "conformance/host/memory/const_pages.hpp"
#include "conformance/host/memory/host_memory.hpp"
#include "conformance/host/rank/store_client.hpp"
#include "conformance/host/wire/rank_page.hpp"
#include "conformance/host/wire/store.hpp"

namespace zerocts {

class HostTable {
 public:
  HostTable(int rank, StoreClient& store, RankPage& page, bool poison_memory, bool ranks_share_process);
  HostTable(const HostTable&) = delete;
  HostTable& operator=(const HostTable&) = delete;

  /// To be copied to where the subject cannot write. Holds as long as this object.
  const zerocts_host& table() const { return table_; }
  HostMemory& memory() { return memory_; }
  /// From here on keys are those of the next engine of this case.
  void BeginEngine() { ++engine_; }

 private:
  static int Set(void* context, const char* key, const void* value, size_t bytes);
  static int Get(void* context, const char* key, void* value, size_t bytes, uint32_t deadline_ms);
  static int Barrier(void* context, uint32_t deadline_ms);
  static const char* LastError(void* context);
  static void* Allocate(void* context, size_t bytes, int kind);
  static void Free(void* context, void* memory);
  static void Count(void* context, size_t bytes, int kind);
  static void Uncount(void* context, size_t bytes, int kind);
  static void Progress(void* context, const char* operation, const char* detail);
  static void Log(void* context, int level, const char* text);
  static const void* GetExtension(void* context, const char* id);

  std::string KeyOf(const char* key) const;
  int Ended(StoreOutcome outcome);

  StoreClient& store_;
  RankPage& page_;
  HostMemory memory_;
  int engine_ = 0;
  std::unique_ptr<ConstPages> error_pages_;
  const char* last_error_ = "";
  zerocts_host table_{};
};

}  // namespace zerocts
